package dev.envelope.integration.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static dev.envelope.integration.architecture.ProductClasses.APP;
import static dev.envelope.integration.architecture.ProductClasses.CORE;
import static dev.envelope.integration.architecture.ProductClasses.IDEMPOTENCY;
import static dev.envelope.integration.architecture.ProductClasses.INTEGRATION;
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
        noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(IDEMPOTENCY, APP, INTEGRATION)
                .allowEmptyShould(true)
                .check(ProductClasses.ALL);
    }

    @Test
    void idempotencyKnowsOnlyCore() {
        noClasses()
                .that()
                .resideInAPackage(IDEMPOTENCY)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(APP, INTEGRATION)
                .allowEmptyShould(true)
                .check(ProductClasses.ALL);
    }

    @Test
    void theProductDoesNotKnowItsTests() {
        noClasses()
                .that()
                .resideInAPackage(APP)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(INTEGRATION)
                .allowEmptyShould(true)
                .check(ProductClasses.ALL);
    }

    @Test
    void noPackagesDependOnEachOtherInACycle() {
        slices().matching("dev.envelope.(**)")
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .check(ProductClasses.ALL);
    }

    @Test
    void theApiDependsOnNothingElseOfCore() {
        noClasses()
                .that()
                .resideInAPackage("dev.envelope.core.api..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.envelope.core",
                        "dev.envelope.core.fetch..",
                        "dev.envelope.core.mailbox..",
                        "dev.envelope.core.offset..",
                        "dev.envelope.core.pool..")
                .allowEmptyShould(true)
                .check(ProductClasses.ALL);
    }

    @Test
    void coreKnowsNoDatabaseNoJsonAndNoHttp() {
        noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.sql..",
                        "javax.sql..",
                        "tools.jackson..",
                        "com.sun.net.httpserver..",
                        "io.javalin..")
                .allowEmptyShould(true)
                .check(ProductClasses.ALL);
    }

    @Test
    void onlyThePostgresStoreSpeaksJdbc() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.envelope.idempotency.store.postgres..", INTEGRATION)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..", "com.zaxxer..", "org.postgresql..")
                .allowEmptyShould(true)
                .check(ProductClasses.ALL);
    }
}
