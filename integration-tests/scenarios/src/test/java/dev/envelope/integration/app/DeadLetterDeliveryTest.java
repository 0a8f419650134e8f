package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Poison on its way out, on real servers: no row counts it, and the topic for dead letters has it.
 */
@Tag("cluster")
@ExtendWith(OneStack.class)
class DeadLetterDeliveryTest {

    private static LocalStack stack;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    private static List<String> settings(String name, Database database, String... more) {
        List<String> settings = Applications.settings(stack, name, database);
        settings.add("on.failure=dead-letter");
        settings.add("dead.letter.topic=" + name + "-dead");
        settings.addAll(Arrays.asList(more));
        return settings;
    }

    private static RunningApp run(String name, Database database, String... more) {
        return RunningApp.start(stack.workspace(), name, settings(name, database, more));
    }

    private static void produce(String topic, @Nullable String key, String... values) {
        Applications.produceOf(stack, topic, key, values);
    }

    private static String state(Database database, String schema, String key) {
        return Applications.first(
                database,
                "SELECT state::jsonb FROM %s.state WHERE key = '%s'".formatted(schema, key));
    }

    /** All that a topic of one partition holds. */
    private static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        TopicPartition partition = new TopicPartition(topic, 0);
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", stack.broker().bootstrapServers()),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
            }
        }
        return records;
    }

    /** What the group of that topic has committed. */
    private static long committed(String topic) {
        OffsetAndMetadata committed =
                stack.topics().committed(topic).get(new TopicPartition(topic, 0));
        return committed == null ? 0 : committed.offset();
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null ? "none" : new String(header.value(), StandardCharsets.ISO_8859_1);
    }

    private static void stop(RunningApp app) {
        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).isZero();
    }

    @Test
    void poisonArrivesWithItsBytesAndHeadersAndTheRestIsAppliedOnce() {
        deliver("streams", "__streams.errors.offset", "1", "__streams.errors.message");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "spring, kafka_dlt-original-offset, '\0\0\0\0\0\0\0\1', kafka_dlt-exception-message",
        "connect, __connect.errors.offset, 1, __connect.errors.exception.message"
    })
    void poisonArrivesUnderTheNamesThatOthersGiveIt(
            String naming, String offset, String offsetOfBad, String message) {
        deliver(naming, offset, offsetOfBad, message);
    }

    private void deliver(String naming, String offset, String offsetOfBad, String message) {
        stack.topics().create(naming, 1);
        stack.topics().create(naming + "-dead", 1);
        Database database = stack.postgres().createDatabase(naming);
        RunningApp app =
                run(naming, database, "dead.letter.headers=" + naming, "retry.max.attempts=2");
        app.awaitReady();

        produce(naming, "a", "{\"amount\":1}", "{\"amount\":\"much\"}", "{\"amount\":2}");
        produce(naming, "b", "no json", "{\"amount\":3}");
        produce(naming, null, "{\"amount\":4}");
        app.await(() -> read(naming + "-dead").size() == 3);
        app.await(() -> state(database, naming, "a").equals("{\"n\": 2, \"sum\": 3}"));
        app.await(() -> state(database, naming, "b").equals("{\"n\": 1, \"sum\": 3}"));
        app.await(
                () ->
                        Applications.first(database, "SELECT count(*) FROM " + naming + ".outbox")
                                .equals("0"));
        assertThat(app.get("/metrics").body())
                .contains("envelope_outbox_relayed_total 3.0")
                .contains("envelope_dlq_total{reason=\"undecodable\"} 1.0");
        stop(app);

        List<ConsumerRecord<byte[], byte[]>> dead = read(naming + "-dead");
        assertThat(dead)
                .extracting(record -> text(record.key()) + " " + text(record.value()))
                .containsExactlyInAnyOrder(
                        "a {\"amount\":\"much\"}", "b no json", "null {\"amount\":4}");
        ConsumerRecord<byte[], byte[]> bad =
                dead.stream().filter(it -> text(it.key()).equals("a")).findFirst().orElseThrow();
        assertThat(header(bad, offset)).isEqualTo(offsetOfBad);
        assertThat(header(bad, message)).isEqualTo("sum: /amount is a text, sum wants a number");
        assertThat(header(bad, "envelope.application")).isEqualTo(naming);
        assertThat(header(bad, "envelope.id"))
                .isEqualTo(
                        naming
                                + "/"
                                + stack.topics().describe(naming).orElseThrow().topicId()
                                + "/0/1@0");
        assertThat(Applications.first(database, "SELECT count(*) FROM " + naming + ".parked"))
                .isEqualTo("0");
        assertThat(committed(naming)).as("nothing is left to do").isEqualTo(6);
    }

    @Test
    @Tag("long")
    void whileTheTopicIsMissingTheyWaitAndThenTheyArrive() {
        stack.topics().create("missing", 1);
        stack.topics().create("missing-dead", 1);
        Database database = stack.postgres().createDatabase("missing");
        RunningApp app = run("missing", database, "outbox.max.age=1s", "retry.max.attempts=1");
        app.awaitReady();
        stack.topics().delete("missing-dead");

        produce("missing", "a", "{\"amount\":1}", "bad 1", "{\"amount\":2}");
        app.await(() -> state(database, "missing", "a").equals("{\"n\": 2, \"sum\": 3}"));
        app.await(() -> app.get("/readyz").statusCode() == 503);
        assertThat(app.get("/readyz").body())
                .contains("dead letters can't be delivered: the topic missing-dead does not exist")
                .contains("kafka-topics.sh --bootstrap-server ");

        produce("missing", "a", "bad 2", "{\"amount\":3}");
        produce("missing", "b", "{\"amount\":4}");
        app.await(() -> state(database, "missing", "b").equals("{\"n\": 1, \"sum\": 4}"));
        assertThat(committed("missing"))
                .as("nothing is committed past what waits for room")
                .isLessThanOrEqualTo(3);
        assertThat(state(database, "missing", "a")).isEqualTo("{\"n\": 2, \"sum\": 3}");

        stack.topics().create("missing-dead", 1);
        app.await(() -> read("missing-dead").size() == 2);
        app.await(() -> state(database, "missing", "a").equals("{\"n\": 3, \"sum\": 6}"));
        app.awaitReady();
        assertThat(read("missing-dead"))
                .extracting(record -> text(record.value()))
                .containsExactly("bad 1", "bad 2");
        assertThat(Applications.first(database, "SELECT count(*) FROM missing.parked"))
                .isEqualTo("0");
        app.await(() -> committed("missing") == 6);
        stop(app);
    }

    @Tag("long")
    @Test
    void whoIsKilledBetweenSendingAndDeletingHasItDeliveredOnceMoreUnderTheSameId()
            throws SQLException {
        stack.topics().create("killed", 1);
        stack.topics().create("killed-dead", 1);
        Database database = stack.postgres().createDatabase("killed");
        RunningApp app = run("killed", database, "retry.max.attempts=1");
        app.awaitReady();
        stack.topics().delete("killed-dead");
        produce("killed", "a", "bad");
        app.await(
                () ->
                        Applications.first(database, "SELECT count(*) FROM killed.outbox")
                                .equals("1"));

        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM killed.outbox FOR UPDATE"); // nobody can delete it
            stack.topics().create("killed-dead", 1);
            app.await(() -> read("killed-dead").size() == 1);
            app.signal(Signal.KILL);
            app.awaitExit();
            other.rollback();
        }
        assertThat(Applications.first(database, "SELECT count(*) FROM killed.outbox"))
                .isEqualTo("1");

        RunningApp next = run("killed", database);
        // The lease of the one that was killed ends by itself; here nobody waits for that.
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            statement.execute("DELETE FROM killed.lease");
        }
        next.await(
                () ->
                        Applications.first(database, "SELECT count(*) FROM killed.outbox")
                                .equals("0"));
        stop(next);

        List<ConsumerRecord<byte[], byte[]>> dead = read("killed-dead");
        assertThat(dead).hasSize(2);
        assertThat(new HashSet<>(dead.stream().map(it -> header(it, "envelope.id")).toList()))
                .hasSize(1);
    }

    @Test
    void aStartWithoutTheTopicIsRefusedWithWhatToDo() {
        stack.topics().create("refused", 1);
        Database database = stack.postgres().createDatabase("refused");

        RunningApp app = run("refused", database);

        assertThat(app.awaitExit()).isEqualTo(78);
        assertThat(app.log())
                .contains("the topic refused-dead for dead letters does not exist: make it")
                .contains("--create --topic refused-dead");
    }
}
