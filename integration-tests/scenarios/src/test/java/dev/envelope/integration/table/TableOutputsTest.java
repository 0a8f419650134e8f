package dev.envelope.integration.table;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Processes that read a table, and put out what they read. */
@Tag("cluster")
@Tag("long")
@ExtendWith(OneStack.class)
class TableOutputsTest {

    private static final int ROWS = 30_000;
    private static final int RECORDS = 10_000;
    private static final int KEYS = 50;
    private static final int KILLS = 4;

    private final LocalStack stack;
    private final List<RunningApp> apps = new ArrayList<>();

    TableOutputsTest(LocalStack stack) {
        this.stack = stack;
    }

    @AfterEach
    void end() {
        apps.forEach(app -> app.process().kill());
    }

    private Database database(String name) {
        Database database = stack.postgres().createDatabase(name);
        Applications.execute(
                database,
                "CREATE TABLE work (id bigint PRIMARY KEY, key text NOT NULL, body text);"
                        + " CREATE INDEX ON work (key, id)");
        return database;
    }

    private RunningApp start(String name, Database database, boolean ofTable, String... more) {
        List<String> settings =
                ofTable
                        ? WorkTable.settings(stack, name, database)
                        : Applications.settings(stack.bootstrapServers(), name, database);
        settings.removeIf(it -> it.startsWith("handler"));
        settings.addAll(
                List.of(
                        "handler=" + PublishFold.class.getName(),
                        "value.format=string",
                        "instance.name=" + name + "-" + apps.size()));
        if (ofTable) {
            settings.add("table.value=body");
        } else {
            settings.add("kafka.consumer.session.timeout.ms=1500");
        }
        settings.addAll(List.of(more));
        RunningApp app = RunningApp.start(stack.workspace(), name + "-" + apps.size(), settings);
        apps.add(app);
        return app;
    }

    private String servers() {
        return "bootstrap.servers=" + stack.bootstrapServers();
    }

    private static void awaitNone(Database database, String table) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(90))
                .until(() -> Applications.number(database, "SELECT count(*) FROM " + table) == 0);
    }

    @Test
    void eachRowIsPutOutOnceWhileItsProcessAndOneOfATopicAreKilled() {
        String name = "publishing";
        Database database = database(name);
        stack.topics().create(name, 1);
        stack.topics().create(PublishFold.TOPIC, 1);
        Applications.execute(
                database,
                "INSERT INTO work SELECT i, 'key-' || i %% %d, 'row ' || i FROM generate_series(1, %d) i"
                        .formatted(KEYS, ROWS));
        SplittableRandom random = new SplittableRandom();
        String numbers = "output.numbers.topic=" + PublishFold.TOPIC;
        for (int kill = 0; kill <= KILLS; kill++) {
            RunningApp ofTable = start(name, database, true, servers(), numbers);
            RunningApp ofTopic = start(name, database, false, numbers);
            ofTable.awaitReady();
            ofTopic.awaitReady();
            List<ProducerRecord<String, String>> records = new ArrayList<>();
            for (int i = 0; i < RECORDS / (KILLS + 1); i++) {
                records.add(
                        new ProducerRecord<>(name, "key-" + i % KEYS, "record " + kill + "." + i));
            }
            Applications.produce(stack, records);
            if (kill < KILLS) {
                Awaitility.await()
                        .pollDelay(Duration.ofMillis(random.nextInt(10, 400)))
                        .until(() -> true);
                ofTable.signal(Signal.KILL);
                ofTopic.signal(Signal.KILL);
            }
        }
        awaitNone(database, "work");
        Awaitility.await()
                .atMost(Duration.ofSeconds(90))
                .until(() -> Applications.counted(database, name) >= ROWS + RECORDS);
        awaitNone(database, name + ".outputs");

        assertThat(Applications.counted(database, name)).isEqualTo(ROWS + RECORDS);
        List<ConsumerRecord<String, @Nullable String>> all =
                Applications.committed(stack, PublishFold.TOPIC, 1);
        assertThat(all).hasSize(ROWS + RECORDS);
        Set<String> values = new HashSet<>();
        Set<String> ids = new HashSet<>();
        Map<String, Integer> last = new HashMap<>();
        for (ConsumerRecord<String, @Nullable String> record : all) {
            String value = requireNonNull(record.value());
            assertThat(values.add(value)).as(value).isTrue();
            assertThat(ids.add(Applications.header(record, "envelope.id"))).as(value).isTrue();
            if (value.startsWith("row ")) {
                int id = Integer.parseInt(value.substring("row ".length()));
                Integer before = last.put(record.key(), id);
                assertThat(before == null || before < id).as(value).isTrue();
            }
        }
    }

    @Test
    void aRowThatFailsBecomesADeadLetterThatNamesIt() {
        String name = "failing_rows";
        Database database = database(name);
        stack.topics().create(name, 1);
        Applications.execute(database, "INSERT INTO work VALUES (1, 'a', 'broken')");
        RunningApp app =
                start(
                        name,
                        database,
                        true,
                        servers(),
                        "on.failure=dead-letter",
                        "dead.letter.topic=" + name,
                        "retry.max.attempts=1");
        app.awaitReady();
        awaitNone(database, "work");
        awaitNone(database, name + ".outbox");

        assertThat(Applications.committed(stack, name, 1))
                .singleElement()
                .satisfies(
                        it -> {
                            assertThat(it.value()).isEqualTo("broken");
                            assertThat(Applications.header(it, "envelope.row")).isEqualTo("1");
                            assertThat(Applications.header(it, "__streams.errors.topic"))
                                    .isEqualTo("table:public.work");
                        });
    }

    /** The topic is not there yet when the brokers are taken out of the settings. */
    @Test
    void aProcessWithoutBrokersSaysThatOutputsWait() {
        String name = "unsent";
        Database database = database(name);
        Applications.execute(database, "INSERT INTO work VALUES (1, 'a', '{\"amount\":1}')");
        RunningApp emitting =
                plain(
                        name,
                        database,
                        servers(),
                        "emit.topic=unsent-states",
                        "output.delivery=at-least-once");
        emitting.awaitReady();
        awaitNone(database, "work");
        emitting.process().kill();
        assertThat(Applications.number(database, "SELECT count(*) FROM unsent.outputs"))
                .isEqualTo(1);

        RunningApp silent = plain(name, database);
        silent.awaitReady();
        assertThat(silent.log())
                .contains("1 output wait", "not sent, for no brokers are named: add bootstrap");
    }

    private RunningApp plain(String name, Database database, String... more) {
        List<String> settings = WorkTable.settings(stack, name, database, more);
        settings.addAll(List.of("table.value=body", "instance.name=" + name + "-" + apps.size()));
        RunningApp app = RunningApp.start(stack.workspace(), name + "-" + apps.size(), settings);
        apps.add(app);
        return app;
    }

    @Test
    void aHandlerThatEmitsIsRefusedWithoutBrokersAndWithoutATopicForNumbers() {
        Database database = database("silent");
        RunningApp none = start("silent", database, true);
        assertThat(none.awaitExit()).isEqualTo(78);
        assertThat(none.log()).contains("emits, which needs brokers", "add bootstrap.servers");

        RunningApp unnumbered = start("silent", database, true, servers());
        assertThat(unnumbered.awaitExit()).isEqualTo(78);
        assertThat(unnumbered.log())
                .contains("output.numbers.topic", "is required with brokers, and not set");
    }
}
