package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Values that are made to hurt, each in a key of its own between good ones, in a small heap. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class PoisonTest {

    private static final String NAME = "poison";
    private static final int LARGEST = 12 << 20;

    /** By key. */
    private static final Map<String, byte[]> POISON =
            Map.ofEntries(
                    Map.entry("no json", bytes("{no json")),
                    Map.entry("cut short", bytes("{\"a\":\"x")),
                    Map.entry("cut character", new byte[] {'"', (byte) 0xe2, (byte) 0x82, '"'}),
                    Map.entry("long text", longText()),
                    Map.entry("deep", bytes("[".repeat(100_000) + "]".repeat(100_000))),
                    Map.entry("wide", wide()),
                    Map.entry("many digits", bytes("{\"a\":" + "9".repeat(1_000_000) + "}")),
                    Map.entry("NUL escape", bytes("{\"a\":\"\\u0000\"}")),
                    Map.entry("half a pair", bytes("{\"a\":\"\\ud800\"}")),
                    Map.entry("half a pair in a name", bytes("{\"\\udc00\":1}")),
                    Map.entry("out of range", bytes("{\"a\":1e131073}")));

    private static LocalStack stack;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] longText() {
        byte[] text = new byte[LARGEST];
        Arrays.fill(text, (byte) 'x');
        text[0] = '"';
        text[LARGEST - 1] = '"';
        return text;
    }

    private static byte[] wide() {
        StringBuilder document = new StringBuilder("{\"a\":1");
        for (int i = 0; i < 1_000_000; i++) {
            document.append(",\"").append(Integer.toString(i, 36)).append("_\":1");
        }
        return bytes(document.append('}').toString());
    }

    private static void produce() {
        try (KafkaProducer<String, byte[]> producer =
                new KafkaProducer<>(
                        Map.of(
                                "bootstrap.servers",
                                stack.broker().bootstrapServers(),
                                "max.request.size",
                                40_000_000),
                        new StringSerializer(),
                        new ByteArraySerializer())) {
            POISON.forEach(
                    (key, value) -> {
                        producer.send(new ProducerRecord<>(NAME, key, bytes("{\"good\":1}")));
                        producer.send(new ProducerRecord<>(NAME, key, value));
                        producer.send(new ProducerRecord<>(NAME, key, bytes("{\"good\":2}")));
                        producer.send(new ProducerRecord<>(NAME, "free", bytes("{\"good\":3}")));
                    });
            producer.flush();
        }
    }

    private static List<String> query(Database database, String sql) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            while (row.next()) {
                rows.add(row.getString(1));
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String md5(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(bytes);
            return String.format("%032x", new BigInteger(1, digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void poisonIsParkedByteByByteWithWhatFollowsItOfItsKeyAndAllElseFlowsInASmallHeap() {
        stack.topics().create(NAME, 1, Map.of("max.message.bytes", "40000000"));
        Database database = stack.postgres().createDatabase(NAME);
        List<String> settings = Applications.settings(stack, NAME, database);
        settings.removeIf(line -> line.startsWith("handler"));
        settings.addAll(
                List.of(
                        "handler=latest",
                        "kafka.consumer.max.partition.fetch.bytes=1048576",
                        "prefetch.max.bytes=32MiB",
                        "cache.max.bytes=8MiB",
                        "state.max.bytes=1MiB"));
        produce();
        RunningApp app = RunningApp.start(stack.workspace(), NAME, "256m", settings);
        app.await(
                () ->
                        query(database, "SELECT count(*) FROM poison.parked")
                                .equals(List.of(Integer.toString(2 * POISON.size()))));
        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).as("what could not be applied holds up nothing").isZero();

        POISON.forEach(
                (key, value) ->
                        assertThat(
                                        query(
                                                database,
                                                "SELECT reason || ' ' || md5(value) FROM"
                                                        + " poison.parked WHERE row_key = '"
                                                        + key
                                                        + "' ORDER BY position"))
                                .as(key)
                                .containsExactly(
                                        "undecodable " + md5(value),
                                        "behind " + md5(bytes("{\"good\":2}"))));
        assertThat(
                        query(
                                database,
                                "SELECT DISTINCT state->>'good' FROM poison.state WHERE key <>"
                                        + " 'free'"))
                .containsExactly("1");
        assertThat(query(database, "SELECT state->>'good' FROM poison.state WHERE key = 'free'"))
                .containsExactly("3");
        assertThat(app.log().lines()).allMatch(line -> line.length() < 2_000);
        assertThat(app.log()).doesNotContain("OutOfMemoryError");
    }
}
