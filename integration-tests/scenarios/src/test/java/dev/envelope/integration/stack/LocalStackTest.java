package dev.envelope.integration.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("cluster")
@Tag("long")
class LocalStackTest {

    /** Some seconds, where nothing else is going on. */
    private static final Duration BACK_WITHIN = Duration.ofSeconds(40);

    private static LocalStack stack;

    @BeforeAll
    static void start() {
        stack = LocalStack.start();
    }

    @AfterAll
    static void stop() {
        stack.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void recordsMakeTheRoundTripInEitherGroupProtocol(String protocol) throws Exception {
        String topic = "round-trip-" + protocol;
        stack.topics().create(topic, 3);
        for (int i = 0; i < 10; i++) {
            produce(topic, "key-" + i, "value-" + i);
        }

        List<String> values = consume(topic, 10, Map.of("group.protocol", protocol));

        assertThat(values)
                .containsExactlyInAnyOrder(
                        "value-0", "value-1", "value-2", "value-3", "value-4", "value-5", "value-6",
                        "value-7", "value-8", "value-9");
        assertThat(stack.topics().endOffsets(topic).values().stream().mapToLong(end -> end).sum())
                .isEqualTo(10);
    }

    @Test
    void aKilledBrokerIsSoonBackWithItsRecords() throws Exception {
        stack.topics().create("survives-kill", 1);
        produce("survives-kill", "key", "kept");

        stack.broker().kill();
        assertThat(stack.broker().process().exitCode()).hasValue(128 + 9);
        long killed = System.nanoTime();
        stack.broker().start();

        assertThat(consume("survives-kill", 1, Map.of())).containsExactly("kept");
        assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(BACK_WITHIN);
    }

    @Test
    void aStoppedBrokerEndsByItselfAndComesBackOnTheSamePort() throws Exception {
        int port = stack.broker().port();
        stack.topics().create("survives-stop", 1);
        produce("survives-stop", "key", "kept");

        stack.broker().stop();
        assertThat(stack.broker().process().exitCode()).hasValue(128 + 15);
        stack.broker().start();

        assertThat(stack.broker().port()).isEqualTo(port);
        assertThat(consume("survives-stop", 1, Map.of())).containsExactly("kept");
    }

    @Test
    void aPausedBrokerAnswersAgainWhenItIsResumed() throws Exception {
        stack.topics().create("survives-pause", 1);
        try (KafkaProducer<String, String> producer = producer()) {
            var record = new ProducerRecord<>("survives-pause", "key", "value");
            assertThat(producer.send(record).get(20, TimeUnit.SECONDS).offset()).isZero();

            stack.broker().pause();
            try {
                var sent = producer.send(record);
                assertThatThrownBy(() -> sent.get(500, TimeUnit.MILLISECONDS))
                        .isInstanceOf(TimeoutException.class);
                stack.broker().resume();
                assertThat(sent.get(20, TimeUnit.SECONDS).offset()).isEqualTo(1);
            } finally {
                stack.broker().resume();
            }
        }
    }

    @Test
    void aDeletedTopicIsUnknownAndCanBeMadeAgain() {
        var first = stack.topics().create("made-twice", 2);
        stack.topics().delete("made-twice");
        assertThat(stack.topics().describe("made-twice")).isEmpty();

        var second = stack.topics().create("made-twice", 2);

        assertThat(second.topicId()).isNotEqualTo(first.topicId());
        assertThat(stack.topics().grow("made-twice", 4).partitions()).hasSize(4);
    }

    @Test
    void aKilledPostgresIsSoonBackWithItsCommittedRows() throws Exception {
        Database database = stack.postgres().createDatabase("survives_kill");
        execute(database, "CREATE TABLE kept (word text)");
        execute(database, "INSERT INTO kept VALUES ('committed')");

        stack.postgres().kill();
        assertThatThrownBy(database::connect).isInstanceOf(SQLException.class);
        long killed = System.nanoTime();
        stack.postgres().start();

        assertThat(query(database, "SELECT word FROM kept")).isEqualTo("committed");
        assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(BACK_WITHIN);
    }

    @Test
    void aKillTakesThePostgresSessionsAlong() throws Exception {
        Database database = stack.postgres().createDatabase("sessions");
        long backend;
        try (Connection open = database.connect()) {
            backend = Long.parseLong(query(open, "SELECT pg_backend_pid()"));
            assertThat(ProcessHandle.of(backend)).isPresent();
            stack.postgres().kill();
        } finally {
            stack.postgres().start();
        }
        assertThat(isRunning(backend)).isFalse();
    }

    @Test
    void aStoppedPostgresEndsByItselfThoughSessionsAreOpen() throws Exception {
        Database database = stack.postgres().createDatabase("survives_stop");
        try (Connection open = database.connect()) {
            stack.postgres().stop();
            assertThat(stack.postgres().process().exitCode()).hasValue(0);
            assertThat(open.isValid(1)).isFalse();
        } finally {
            stack.postgres().start();
        }
        assertThat(query(database, "SELECT 1")).isEqualTo("1");
    }

    @Test
    void aPausedPostgresAnswersAgainWhenItIsResumed() throws Exception {
        Database database = stack.postgres().createDatabase("survives_pause");
        try (Connection open = database.connect()) {
            stack.postgres().pause();
            assertThatThrownBy(() -> connectWithin(1, database)).isInstanceOf(SQLException.class);
            stack.postgres().resume();
            assertThat(query(open, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void postgresIsOfTheVersionAndAsDurableAsInProduction() throws Exception {
        Database superuser = stack.postgres().superuser();

        assertThat(query(superuser, "SHOW server_version")).startsWith("18.");
        assertThat(query(superuser, "SHOW fsync")).isEqualTo("on");
        assertThat(query(superuser, "SHOW synchronous_commit")).isEqualTo("on");
        assertThat(query(superuser, "SHOW max_connections")).isEqualTo("100");
    }

    @Test
    void postgresRefusesAWrongPassword() {
        Database right = stack.postgres().createDatabase("guarded");
        Database wrong = new Database(right.url(), right.user(), "guess");

        assertThatThrownBy(wrong::connect)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
    }

    private static void produce(String topic, String key, String value) throws Exception {
        try (KafkaProducer<String, String> producer = producer()) {
            producer.send(new ProducerRecord<>(topic, key, value)).get(20, TimeUnit.SECONDS);
        }
    }

    private static KafkaProducer<String, String> producer() {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", stack.broker().bootstrapServers()),
                new StringSerializer(),
                new StringSerializer());
    }

    private static List<String> consume(String topic, int count, Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", stack.broker().bootstrapServers());
        all.put("group.id", topic);
        all.put("auto.offset.reset", "earliest");
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .pollInSameThread()
                    .until(
                            () -> {
                                for (ConsumerRecord<String, String> each :
                                        consumer.poll(Duration.ofMillis(200))) {
                                    values.add(each.value());
                                }
                                return values.size() >= count;
                            });
        }
        return values;
    }

    private static void connectWithin(int seconds, Database database) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", database.user());
        properties.setProperty("password", database.password());
        properties.setProperty("loginTimeout", Integer.toString(seconds));
        DriverManager.getConnection(database.url(), properties).close();
    }

    private static void execute(Database database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String query(Database database, String sql) throws SQLException {
        try (Connection connection = database.connect()) {
            return query(connection, sql);
        }
    }

    private static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertThat(result.next()).isTrue();
            return result.getString(1);
        }
    }

    private static boolean isRunning(long pid) {
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .flatMap(handle -> handle.info().command())
                .isPresent();
    }
}
