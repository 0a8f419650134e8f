package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Timers that a handler sets, through real processes, a broker and Postgres. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class TimersScenarioTest {

    private static final int KEYS = 100;
    private static final int KILLS = 4;

    private static LocalStack stack;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    private static RunningApp run(String name, int times, Database database) {
        List<String> settings = Applications.settings(stack, name, database);
        settings.removeIf(it -> it.startsWith("handler"));
        settings.add("handler=" + ReminderFold.class.getName());
        settings.add("value.format=string");
        settings.add("timers=true");
        settings.add("kafka.consumer.session.timeout.ms=1500");
        return RunningApp.start(stack.workspace(), name + "-" + times, settings);
    }

    private static String first(Database database, String schema, String sql) {
        return Applications.first(database, sql.formatted(schema));
    }

    private static void awaitTimers(RunningApp app, Database database, String schema, int count) {
        app.await(
                () ->
                        first(database, schema, "SELECT count(*) FROM %s.timer").equals("0")
                                && first(database, schema, LATE.formatted("count(*)", "%s"))
                                        .equals(Integer.toString(count)));
    }

    /** What the rows say of how late timers came. */
    private static final String LATE =
            "SELECT %s FROM %s.state CROSS JOIN LATERAL json_each_text(state -> 'late') AS t(name,"
                    + " late)";

    private static List<ProducerRecord<String, String>> toAllKeys(String topic, String... values) {
        List<ProducerRecord<String, String>> records = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            for (String value : values) {
                records.add(new ProducerRecord<>(topic, "key-" + key, value));
            }
        }
        return records;
    }

    @Test
    void eachTimerFiresOnceAndNeverEarlyWhileProcessesAreKilled() {
        stack.topics().create("reminded", 3);
        Database database = stack.postgres().createDatabase("reminded");
        int timers = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            RunningApp app = run("reminded", kill, database);
            app.awaitReady();
            Applications.produce(
                    stack,
                    toAllKeys(
                            "reminded",
                            "set again 60000",
                            "set soon-" + kill + " 20",
                            "set never-" + kill + " 3000",
                            "set later-" + kill + " " + 400 * (kill + 1),
                            "set again 100",
                            "cancel never-" + kill));
            timers += 2 * KEYS;
            Applications.pause(100L + 150L * kill);
            app.signal(Signal.KILL);
            var unused = app.awaitExit();
        }
        RunningApp last = run("reminded", KILLS, database);

        // "again" is set by each round and may have fired in each: it is counted by itself below
        awaitTimers(last, database, "reminded", timers + KEYS);

        String once = LATE.formatted("count(*)", "%s") + " WHERE late::bigint >= 86400000";
        assertThat(first(database, "reminded", once + " AND name <> 'again'")).isEqualTo("0");
        assertThat(first(database, "reminded", LATE.formatted("min(late::bigint)", "%s")))
                .satisfies(it -> assertThat(Long.parseLong(it)).isNotNegative());
        assertThat(
                        first(
                                database,
                                "reminded",
                                LATE.formatted("count(*)", "%s") + " WHERE name LIKE 'never%%'"))
                .isEqualTo("0");
        last.signal(Signal.TERM);
        assertThat(last.awaitExit()).isZero();
    }

    @Test
    void idleTimersComeWithinTheTenthOfASecond() {
        stack.topics().create("prompt", 3);
        Database database = stack.postgres().createDatabase("prompt");
        RunningApp app = run("prompt", 0, database);
        app.awaitReady();
        Applications.produce(stack, toAllKeys("prompt", "set warm 500"));
        awaitTimers(app, database, "prompt", KEYS);
        List<ProducerRecord<String, String>> records = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            records.add(new ProducerRecord<>("prompt", "key-" + key, "set it " + (500 + 37 * key)));
        }

        Applications.produce(stack, records);
        awaitTimers(app, database, "prompt", 2 * KEYS);

        String p50 = "percentile_disc(0.5) WITHIN GROUP (ORDER BY late::bigint)";
        String median = first(database, "prompt", LATE.formatted(p50, "%s") + " WHERE name = 'it'");
        assertThat(Long.parseLong(median)).as("median of how late, in ms").isLessThan(100);
        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).isZero();
    }

    @Test
    void aCompactedTopicIsRefusedAtStart() {
        stack.topics().create("compacted", 1, Map.of("cleanup.policy", "compact"));
        Database database = stack.postgres().createDatabase("compacted");

        RunningApp app = run("compacted", 0, database);

        assertThat(app.awaitExit()).isNotZero();
        assertThat(app.log()).contains("the topic compacted is compacted", "timers=false");
    }
}
