package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What handlers emit, on its way from the row to a consumer that reads with read_committed. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class OutputsTest {

    private static final int KILLS = 4;

    private static LocalStack stack;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    private static RunningApp run(String name, Database database, String... more) {
        List<String> settings = Applications.settings(stack, name, database);
        settings.addAll(Arrays.asList(more));
        return RunningApp.start(stack.workspace(), name, settings);
    }

    /**
     * @param times how often the process was started before
     */
    private static RunningApp runEcho(int times, Database database) {
        List<String> settings = Applications.settings(stack, "echoed", database);
        settings.removeIf(it -> it.startsWith("handler"));
        settings.add("handler=" + EchoFold.class.getName());
        settings.add("value.format=string");
        settings.add("kafka.consumer.session.timeout.ms=1500");
        return RunningApp.start(stack.workspace(), "echoed-" + times, settings);
    }

    private static void awaitNothingWaits(RunningApp app, Database database, String schema) {
        app.await(
                () ->
                        Applications.first(database, "SELECT count(*) FROM " + schema + ".outputs")
                                .equals("0"));
    }

    private static void stop(RunningApp app) {
        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).isZero();
    }

    @Test
    void theChangelogEndsWithTheStatesOfTheRows() {
        stack.topics().create("changing", 3);
        stack.topics().create("changes", 2);
        Database database = stack.postgres().createDatabase("changing");
        RunningApp app = run("changing", database, "emit.topic=changes");
        app.awaitReady();

        Applications.produce(stack, "changing", 3_000, 100, "{\"amount\":1}");
        app.await(() -> Applications.counted(database, "changing") == 3_000);
        awaitNothingWaits(app, database, "changing");
        assertThat(app.get("/metrics").body())
                .contains("envelope_records_total{outcome=\"applied\"} 3000.0");
        stop(app);

        Map<String, @Nullable String> last = new HashMap<>();
        Set<String> ids = new HashSet<>();
        for (ConsumerRecord<String, @Nullable String> record :
                Applications.committed(stack, "changes", 2)) {
            last.put(record.key(), record.value());
            assertThat(ids.add(Applications.header(record, "envelope.id")))
                    .as(Applications.header(record, "envelope.id"))
                    .isTrue();
        }
        assertThat(last).hasSize(100);
        assertThat(last.values()).allMatch(it -> "{\"n\":30,\"sum\":30}".equals(it));
    }

    @Test
    void eachOutputIsSeenOnceInTheOrderOfItsKeyWhileProcessesAreKilled() {
        int keys = 40;
        stack.topics().create("echoed", 3);
        stack.topics().create("echoed-echo", 3);
        Database database = stack.postgres().createDatabase("echoed");
        int sent = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            RunningApp app = runEcho(kill, database);
            app.awaitReady();
            Applications.produce(stack, "echoed", 2_000, keys, "x");
            sent += 2_000;
            Applications.pause(150L * kill);
            app.signal(Signal.KILL);
            var unused = app.awaitExit();
        }

        RunningApp last = runEcho(KILLS, database);
        last.awaitReady(); // before that, it would not hear the signal that ends it
        int all = sent;
        last.await(
                () ->
                        Applications.first(
                                        database,
                                        "SELECT sum((state::jsonb ->> 'messages')::int) FROM"
                                                + " echoed.state")
                                .equals(Integer.toString(all)));
        awaitNothingWaits(last, database, "echoed");
        stop(last);

        Map<String, Long> counted = new HashMap<>();
        Set<String> ids = new HashSet<>();
        for (ConsumerRecord<String, @Nullable String> record :
                Applications.committed(stack, "echoed-echo", 3)) {
            String value = String.valueOf(record.value());
            long count = Long.parseLong(value.substring(value.indexOf(' ') + 1));
            assertThat(count)
                    .as("%s of %s", value, record.key())
                    .isEqualTo(counted.getOrDefault(record.key(), 0L) + 1);
            counted.put(record.key(), count);
            assertThat(ids.add(Applications.header(record, "envelope.id")))
                    .as(Applications.header(record, "envelope.id"))
                    .isTrue();
        }
        assertThat(ids).hasSize(sent);
    }
}
