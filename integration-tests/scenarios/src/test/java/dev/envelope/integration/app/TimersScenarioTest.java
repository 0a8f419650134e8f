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

    /** What the rows say of how late timers came. */
    private static final String LATE =
            "SELECT %s FROM %s.state CROSS JOIN LATERAL json_each_text(state -> 'late') AS t(name,"
                    + " late)";

    private static long late(Database database, String schema, String what) {
        return Long.parseLong(first(database, schema, LATE.formatted(what, "%s")));
    }

    /** Waits until no timer is left, and so many different ones have come. */
    private static void awaitTimers(RunningApp app, Database database, String schema, int count) {
        app.await(
                () ->
                        first(database, schema, "SELECT count(*) FROM %s.timer").equals("0")
                                && late(database, schema, "count(*)") == count);
    }

    private static List<ProducerRecord<String, String>> toAllKeys(String topic, String... values) {
        List<ProducerRecord<String, String>> records = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            for (String value : values) {
                records.add(new ProducerRecord<>(topic, "key-" + key, value));
            }
        }
        return records;
    }

    @Tag("long")
    @Test
    void eachTimerFiresOnceAndNeverEarlyWhileProcessesAreKilled() {
        stack.topics().create("reminded", 3);
        Database database = stack.postgres().createDatabase("reminded");
        for (int round = 0; round < KILLS; round++) {
            RunningApp app = run("reminded", round, database);
            app.awaitReady();
            setTimers(round);
            String some = "count(*) FILTER (WHERE name LIKE 'in-" + round + "-%%')";
            app.await(() -> late(database, "reminded", some) >= 2L * KEYS); // of ten
            Applications.pause(31L * round);
            app.signal(Signal.KILL);
            var unused = app.awaitExit();
        }
        RunningApp last = run("reminded", KILLS, database);
        last.awaitReady();

        awaitTimers(last, database, "reminded", KEYS * (10 * KILLS + 1));

        assertThat(
                        first(
                                database,
                                "reminded",
                                "SELECT sum((state ->> 'wrong')::int) FROM %s.state"))
                .as("timers that came twice, or after they were set again or cancelled")
                .isEqualTo("0");
        assertThat(
                        first(
                                database,
                                "reminded",
                                "SELECT count(*) FROM %s.state WHERE state ->> 'pending' <> '{}'"))
                .as("rows that still wait for a timer")
                .isEqualTo("0");
        assertThat(late(database, "reminded", "min(late::bigint)")).isNotNegative();
        last.signal(Signal.TERM);
        assertThat(last.awaitExit()).isZero();
    }

    /** Ten over some seconds, one that is cancelled, and one that is set again when it fires. */
    private static void setTimers(int round) {
        List<String> values = new ArrayList<>(List.of("set never 1500"));
        for (int i = 0; i < 10; i++) {
            values.add("set in-" + round + "-" + i + " " + (500 + 250 * i));
        }
        values.add("cancel never");
        Applications.produce(stack, toAllKeys("reminded", values.toArray(String[]::new)));
        for (int i = 0; i < 15; i++) {
            Applications.produce(stack, toAllKeys("reminded", "set busy 5"));
            Applications.pause(10); // about as long as a firing is under way
        }
    }

    /** Alone on the machine within a tenth of a second: -Dtimers.late.millis=100. */
    @Test
    void idleTimersComeSoon() {
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

        String median =
                "percentile_disc(0.5) WITHIN GROUP (ORDER BY late::bigint)"
                        + " FILTER (WHERE name = 'it')";
        assertThat(late(database, "prompt", median))
                .as("median, in ms")
                .isLessThan(Long.getLong("timers.late.millis", 1_000));
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
