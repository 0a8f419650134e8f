package dev.envelope.integration.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static dev.envelope.integration.architecture.ProductClasses.APP;
import static dev.envelope.integration.architecture.ProductClasses.INTEGRATION;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import java.io.ObjectInputStream;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Calls that would let the clock, chance or a stranger's bytes decide what the engine does. */
class ForbiddenCallsTest {

    /** Hidden whatever the arguments. */
    private static final Set<String> HIDDEN =
            Set.of(
                    "java.lang.Thread.sleep",
                    "java.lang.System.currentTimeMillis",
                    "java.lang.System.nanoTime",
                    "java.lang.Math.random",
                    "java.util.UUID.randomUUID",
                    "java.util.concurrent.ThreadLocalRandom.current",
                    "java.util.concurrent.TimeUnit.sleep",
                    "java.security.SecureRandom.<init>",
                    "java.time.Clock.systemUTC",
                    "java.time.Clock.systemDefaultZone",
                    "java.time.ZoneId.systemDefault");

    /** Hidden without arguments; a seed or a clock makes them open. */
    private static final Set<String> HIDDEN_WITHOUT_ARGUMENTS =
            Set.of(
                    "java.util.Random.<init>",
                    "java.util.SplittableRandom.<init>",
                    "java.time.Instant.now",
                    "java.time.LocalDate.now",
                    "java.time.LocalDateTime.now",
                    "java.time.OffsetDateTime.now",
                    "java.time.ZonedDateTime.now");

    @Test
    void hiddenInputsAreOnlyWhereThingsArePutTogether() {
        noClasses()
                .that()
                .resideOutsideOfPackages(APP, INTEGRATION)
                .and()
                .haveNameNotMatching(
                        "dev\\.envelope\\.(core\\.(EnvelopeConsumer.*|SystemEnvironment(\\$.*)?)"
                                + "|idempotency\\.EnvelopeApplication(\\$.*)?)")
                .should()
                .accessTargetWhere(
                        target(describe("is a hidden input", ForbiddenCallsTest::isHidden)))
                .allowEmptyShould(true)
                .check(ProductClasses.ALL);
    }

    @Test
    void noBytesAreTurnedIntoObjectsByTheirOwnWord() {
        noClasses()
                .should()
                .dependOnClassesThat(assignableTo(ObjectInputStream.class))
                .orShould()
                .dependOnClassesThat(
                        DescribedPredicate.or(
                                name("com.fasterxml.jackson.annotation.JsonTypeInfo"),
                                name("com.fasterxml.jackson.annotation.JsonSubTypes")))
                .orShould()
                .accessTargetWhere(
                        target(
                                describe(
                                        "lets JSON name its class",
                                        access -> access.getName().contains("DefaultTyping"))))
                .allowEmptyShould(true)
                .check(ProductClasses.ALL);
    }

    private static boolean isHidden(AccessTarget target) {
        String name = target.getOwner().getName() + "." + target.getName();
        return HIDDEN.contains(name)
                || (HIDDEN_WITHOUT_ARGUMENTS.contains(name)
                        && target instanceof CodeUnitAccessTarget unit
                        && unit.getRawParameterTypes().isEmpty());
    }
}
