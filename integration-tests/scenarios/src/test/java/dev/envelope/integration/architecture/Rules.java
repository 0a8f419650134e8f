package dev.envelope.integration.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import java.io.ObjectInputStream;
import java.sql.Connection;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The rules about a house of the product's shape: {@link DirectionsTest}, {@link ShapesTest} and
 * {@link ForbiddenCallsTest} hold the product to them, {@link RulesTest} a house that breaks each.
 *
 * <p>Threads: immutable.
 *
 * @param root the package that all of the house is in
 */
record Rules(String root) {

    static final Rules OF_THE_PRODUCT = new Rules("dev.envelope");

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

    private String core() {
        return root + ".core..";
    }

    private String idempotency() {
        return root + ".idempotency..";
    }

    private String app() {
        return root + ".app..";
    }

    private String integration() {
        return root + ".integration..";
    }

    ArchRule coreKnowsNoOtherModule() {
        return noClasses()
                .that()
                .resideInAPackage(core())
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(idempotency(), app(), integration());
    }

    ArchRule idempotencyKnowsOnlyCore() {
        return noClasses()
                .that()
                .resideInAPackage(idempotency())
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(app(), integration());
    }

    ArchRule theProductDoesNotKnowItsTests() {
        return noClasses()
                .that()
                .resideInAPackage(app())
                .should()
                .dependOnClassesThat()
                .resideInAPackage(integration());
    }

    ArchRule noPackagesDependOnEachOtherInACycle() {
        return slices().matching(root + ".(**)").should().beFreeOfCycles();
    }

    ArchRule theApiDependsOnNothingElseOfCore() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".core.api..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage(core()).and(resideOutsideOfPackage(root + ".core.api..")));
    }

    /** So a table, a timer or an operator can be where messages come from, too. */
    ArchRule betweenMailboxAndSaveNothingKnowsThatMessagesComeFromAPartition() {
        return noClasses()
                .that()
                .resideInAnyPackage(
                        root + ".core.mailbox..",
                        root + ".core.pool..",
                        root + ".core.turn..",
                        root + ".idempotency.dedupe..",
                        root + ".idempotency.fold..",
                        root + ".idempotency.store.row..",
                        root + ".idempotency.store.save..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("org.apache.kafka.clients..")
                                .or(name("org.apache.kafka.common.TopicPartition")));
    }

    ArchRule coreKnowsNoDatabaseNoJsonAndNoHttp() {
        return noClasses()
                .that()
                .resideInAPackage(core())
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.sql..",
                        "javax.sql..",
                        "tools.jackson..",
                        "com.sun.net.httpserver..",
                        "org.eclipse.jetty..");
    }

    /** Work hands a connection on to users' code, and knows no more of it. */
    ArchRule onlyThePostgresStoreSpeaksJdbc() {
        String work = root + ".idempotency.work";
        DescribedPredicate<JavaClass> jdbc =
                resideInAnyPackage("java.sql..", "javax.sql..", "com.zaxxer..", "org.postgresql..");
        return CompositeArchRule.of(
                        noClasses()
                                .that()
                                .resideOutsideOfPackages(
                                        root + ".idempotency.store.postgres..", integration())
                                .should()
                                .dependOnClassesThat(jdbc.and(not(type(Connection.class)))))
                .and(
                        noClasses()
                                .that()
                                .resideOutsideOfPackages(
                                        root + ".idempotency.store.postgres..", work, integration())
                                .should()
                                .dependOnClassesThat(jdbc));
    }

    ArchRule onlyTheDatabasesRoomOfTheProgramKnowsWhichKindItIs() {
        return noClasses()
                .that()
                .resideInAnyPackage(app(), root + ".idempotency..")
                .and()
                .resideOutsideOfPackages(
                        root + ".app.database", root + ".idempotency.store.postgres..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root + ".idempotency.store.postgres..");
    }

    ArchRule hiddenInputsAreOnlyWhereThingsArePutTogether() {
        return noClasses()
                .that()
                .resideOutsideOfPackages(app(), integration())
                .and()
                .haveNameNotMatching(
                        Pattern.quote(root + ".")
                                + "(core\\.(EnvelopeConsumer.*|SystemEnvironment(\\$.*)?)"
                                + "|idempotency\\.(EnvelopeApplication(\\$.*)?|Deliveries)"
                                + "|idempotency\\.store\\.postgres\\.PostgresStore)")
                .should()
                .accessTargetWhere(target(describe("is a hidden input", Rules::isHidden)));
    }

    ArchRule noBytesAreTurnedIntoObjectsByTheirOwnWord() {
        return noClasses()
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
                                        access -> access.getName().contains("DefaultTyping"))));
    }

    /** The modules that are delivered, each part by itself. */
    private GivenClassesConjunction classesOfTheProduct() {
        return classes().that().resideInAnyPackage(core(), idempotency(), app());
    }

    ArchRule constructorsAskForAtMostSevenThings() {
        return classesOfTheProduct().should(new Shapes.Constructors(7));
    }

    ArchRule noClassHasMoreThanSixFieldsThatChange() {
        return classesOfTheProduct().should(new Shapes.MutableFields(6));
    }

    ArchRule ofAPackageNoMoreThanTwoClassesNeedEachOtherInACircle() {
        return classesOfTheProduct().should(new Shapes.Circles(2));
    }

    private static boolean isHidden(AccessTarget target) {
        String name = target.getOwner().getName() + "." + target.getName();
        return HIDDEN.contains(name)
                || (HIDDEN_WITHOUT_ARGUMENTS.contains(name)
                        && target instanceof CodeUnitAccessTarget unit
                        && unit.getRawParameterTypes().isEmpty());
    }
}
