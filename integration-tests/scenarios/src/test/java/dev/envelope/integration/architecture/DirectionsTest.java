package dev.envelope.integration.architecture;

import static dev.envelope.integration.architecture.Rules.OF_THE_PRODUCT;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who may know whom: the modules, the packages, and the libraries that each may touch. */
class DirectionsTest {

    @Test
    void classesOfTheModulesAreSeenAtAll() {
        assertThat(ProductClasses.ALL)
                .extracting(type -> type.getPackageName())
                .anyMatch(name -> name.startsWith("dev.envelope.core"))
                .anyMatch(name -> name.startsWith("dev.envelope.idempotency"));
    }

    @Test
    void coreKnowsNoOtherModule() {
        OF_THE_PRODUCT.coreKnowsNoOtherModule().check(ProductClasses.ALL);
    }

    @Test
    void idempotencyKnowsOnlyCore() {
        OF_THE_PRODUCT.idempotencyKnowsOnlyCore().check(ProductClasses.ALL);
    }

    @Test
    void theProductDoesNotKnowItsTests() {
        OF_THE_PRODUCT.theProductDoesNotKnowItsTests().check(ProductClasses.ALL);
    }

    @Test
    void noPackagesDependOnEachOtherInACycle() {
        OF_THE_PRODUCT.noPackagesDependOnEachOtherInACycle().check(ProductClasses.ALL);
    }

    @Test
    void theApiDependsOnNothingElseOfCore() {
        OF_THE_PRODUCT.theApiDependsOnNothingElseOfCore().check(ProductClasses.ALL);
    }

    @Test
    void betweenMailboxAndSaveNothingKnowsThatMessagesComeFromAPartition() {
        OF_THE_PRODUCT
                .betweenMailboxAndSaveNothingKnowsThatMessagesComeFromAPartition()
                .check(ProductClasses.ALL);
    }

    @Test
    void coreKnowsNoDatabaseNoJsonAndNoHttp() {
        OF_THE_PRODUCT.coreKnowsNoDatabaseNoJsonAndNoHttp().check(ProductClasses.ALL);
    }

    @Test
    void onlyThePostgresStoreSpeaksJdbc() {
        OF_THE_PRODUCT.onlyThePostgresStoreSpeaksJdbc().check(ProductClasses.ALL);
    }

    @Test
    void onlyTheDatabasesRoomOfTheProgramKnowsWhichKindItIs() {
        OF_THE_PRODUCT
                .onlyTheDatabasesRoomOfTheProgramKnowsWhichKindItIs()
                .check(ProductClasses.ALL);
    }
}
