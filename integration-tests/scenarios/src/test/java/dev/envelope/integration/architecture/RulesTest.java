package dev.envelope.integration.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.envelope.integration.docs.Checkout;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Every rule can fail: at what breaks it, and where it has nothing to look at. */
class RulesTest {

    private static final String ROOT = "dev.envelope.integration.architecture.broken";

    private static final JavaClasses BROKEN = new ClassFileImporter().importPackages(ROOT);
    private static final JavaClasses NONE = new ClassFileImporter().importPackages(ROOT + ".not");

    /** By rule, two words of the line that says what is broken. */
    private static final Map<String, String[]> BREACHES =
            Map.ofEntries(
                    breach("coreKnowsNoOtherModule", "core.fetch.Loop", "idempotency.Rows"),
                    breach("idempotencyKnowsOnlyCore", "idempotency.Rows", "app.Program"),
                    breach("theProductDoesNotKnowItsTests", "app.Program", "integration.Trial"),
                    breach(
                            "noPackagesDependOnEachOtherInACycle",
                            "Slice core.api",
                            "Slice core.fetch"),
                    breach(
                            "betweenMailboxAndSaveNothingKnowsThatMessagesComeFromAPartition",
                            "core.mailbox.Slot",
                            "TopicPartition"),
                    breach("theApiDependsOnNothingElseOfCore", "core.api.Door", "core.fetch.Loop"),
                    breach(
                            "coreKnowsNoDatabaseNoJsonAndNoHttp",
                            "core.fetch.Loop",
                            "java.sql.Connection"),
                    breach(
                            "onlyThePostgresStoreSpeaksJdbc",
                            "core.fetch.Loop",
                            "java.sql.Connection"),
                    breach(
                            "onlyTheDatabasesRoomOfTheProgramKnowsWhichKindItIs",
                            "app.Program",
                            "postgres.Table"),
                    breach(
                            "hiddenInputsAreOnlyWhereThingsArePutTogether",
                            "core.fetch.Loop.now()",
                            "System.nanoTime()"),
                    breach(
                            "noBytesAreTurnedIntoObjectsByTheirOwnWord",
                            "core.fetch.Loop",
                            "ObjectInputStream"),
                    breach(
                            "constructorsAskForAtMostSevenThings",
                            "core.fetch.Greedy",
                            "asks for 8"),
                    breach("noClassHasMoreThanSixFieldsThatChange", "core.fetch.Greedy", "eighth"),
                    breach(
                            "ofAPackageNoMoreThanTwoClassesNeedEachOtherInACircle",
                            "core.fetch.Hen",
                            "Egg, Hen, Nest"));

    private static Map.Entry<String, String[]> breach(String rule, String... words) {
        return Map.entry(rule, words);
    }

    @Test
    void everyRuleReportsWhatBreaksIt() throws ReflectiveOperationException {
        Map<String, ArchRule> rules = rules();
        assertThat(BREACHES.keySet()).isEqualTo(rules.keySet());
        rules.forEach(
                (name, rule) ->
                        assertThat(rule.evaluate(BROKEN).getFailureReport().getDetails())
                                .as(name)
                                .anySatisfy(it -> assertThat(it).contains(BREACHES.get(name))));
    }

    @Test
    void everyRuleFailsWhereItHasNothingToLookAt() throws ReflectiveOperationException {
        rules().forEach(
                        (name, rule) ->
                                assertThatThrownBy(() -> rule.check(NONE))
                                        .as(name)
                                        .isInstanceOf(AssertionError.class)
                                        .hasMessageContaining("failed to check any classes"));
    }

    @Test
    void noRuleMayFindNothingToLookAt() {
        String leave = "allowEmpty" + "Should";
        assertThat(Checkout.files(".java"))
                .as("code with " + leave)
                .isNotEmpty()
                .noneMatch(file -> Checkout.read(file).contains(leave));
        assertThat(Checkout.files("archunit.properties")).isEmpty();
    }

    /** All that there are. */
    private static Map<String, ArchRule> rules() throws ReflectiveOperationException {
        Rules ofTheBroken = new Rules(ROOT);
        Map<String, ArchRule> rules = new TreeMap<>();
        for (Method method : Rules.class.getDeclaredMethods()) {
            if (method.getReturnType().equals(ArchRule.class)) {
                rules.put(method.getName(), (ArchRule) method.invoke(ofTheBroken));
            }
        }
        return rules;
    }
}
