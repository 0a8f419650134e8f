package dev.envelope.integration.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
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
            Map.of(
                    "coreKnowsNoOtherModule",
                    new String[] {"core.fetch.Loop", "idempotency.Rows"},
                    "idempotencyKnowsOnlyCore",
                    new String[] {"idempotency.Rows", "app.Program"},
                    "theProductDoesNotKnowItsTests",
                    new String[] {"app.Program", "integration.Trial"},
                    "noPackagesDependOnEachOtherInACycle",
                    new String[] {"Slice core.api", "Slice core.fetch"},
                    "theApiDependsOnNothingElseOfCore",
                    new String[] {"core.api.Door", "core.fetch.Loop"},
                    "coreKnowsNoDatabaseNoJsonAndNoHttp",
                    new String[] {"core.fetch.Loop", "java.sql.Connection"},
                    "onlyThePostgresStoreSpeaksJdbc",
                    new String[] {"core.fetch.Loop", "java.sql.Connection"},
                    "onlyTheDatabasesRoomOfTheProgramKnowsWhichKindItIs",
                    new String[] {"app.Program", "postgres.Table"},
                    "hiddenInputsAreOnlyWhereThingsArePutTogether",
                    new String[] {"core.fetch.Loop.now()", "System.nanoTime()"},
                    "noBytesAreTurnedIntoObjectsByTheirOwnWord",
                    new String[] {"core.fetch.Loop", "ObjectInputStream"});

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
