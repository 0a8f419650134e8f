package dev.envelope.integration.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What producers should not send, and do: nothing of it ends the process, nothing is lost. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class BadInputTest {

    private static final String GOOD =
            "{\"id\":\"%s\",\"seq\":1,\"delta\":1,\"aborted\":false,\"flaky\":false}";

    /** A message and why it is parked; null if it has to be applied. */
    private record Input(byte @Nullable [] key, byte @Nullable [] value, @Nullable String reason) {}

    private static final List<Input> INPUTS =
            List.of(
                    new Input(bytes("undecodable"), bytes("{no json"), "undecodable"),
                    new Input(bytes("empty"), new byte[0], "undecodable"),
                    new Input(bytes("other type"), bytes("[1, 2]"), "undecodable"),
                    new Input(
                            bytes("not UTF-8"), new byte[] {'"', (byte) 0xff, '"'}, "undecodable"),
                    new Input(bytes("deep"), bytes("[".repeat(100_000)), "undecodable"),
                    new Input(bytes("large"), largeValue(), "undecodable"),
                    new Input(null, good("nobody"), "null-key"),
                    new Input(null, null, "null-key"),
                    new Input(bytes("nul\0"), good("nul"), "key-nul"),
                    new Input(bytes("k".repeat(1 << 20)), good("long"), "key-too-long"),
                    new Input(new byte[] {(byte) 0xc3, 0x28}, good("latin"), "key-format"),
                    new Input(bytes("tombstone"), null, null),
                    new Input(bytes(""), good("empty key"), null),
                    new Input(bytes("line\r\nbreak"), good("line"), null),
                    new Input(bytes("\u202e\ud83d\ude00"), good("smile"), null),
                    new Input(bytes("good"), good("good"), null));

    private final LocalStack stack;

    BadInputTest(LocalStack stack) {
        this.stack = stack;
    }

    @Test
    void whatCanNotBeAppliedIsParkedByteByByteAndTheRestGoesOn() throws Exception {
        try (ConsumerGroup group = ConsumerGroup.create(stack, "bad-input", "classic", 1)) {
            ConsumerProcess consumer = group.start();
            send(group);

            group.awaitDone();

            assertThat(consumer.isAlive()).isTrue();
            assertThat(consumer.stop()).isTrue();
            for (int offset = 0; offset < INPUTS.size(); offset++) {
                assertThat(parked(group, offset))
                        .as("offset %d", offset)
                        .isEqualTo(expected(offset));
            }
            assertThat(applied(group))
                    .containsExactlyInAnyOrder(
                            "tombstone", "", "line\r\nbreak", "\u202e\ud83d\ude00", "good");
        }
    }

    private static void send(ConsumerGroup group) throws Exception {
        try (KafkaProducer<byte @Nullable [], byte @Nullable []> producer =
                new KafkaProducer<>(
                        Map.of(
                                "bootstrap.servers",
                                group.bootstrapServers(),
                                "max.request.size",
                                16 << 20),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (Input input : INPUTS) {
                producer.send(new ProducerRecord<>(group.name(), input.key(), input.value())).get();
            }
        }
    }

    /** Reason, key and value of what is parked from an offset; empty if nothing is. */
    private static List<Object> parked(ConsumerGroup group, int offset) throws Exception {
        String sql =
                "SELECT reason, key, value FROM %s.parked WHERE record_offset = %d"
                        .formatted(ConsumerGroup.SCHEMA, offset);
        List<Object> found = new ArrayList<>();
        try (Connection connection = group.database().connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                found.add(describe(row.getString(1), row.getBytes(2), row.getBytes(3)));
            }
        }
        return found;
    }

    private static List<Object> expected(int offset) {
        Input input = INPUTS.get(offset);
        @Nullable String reason = input.reason();
        return reason == null ? List.of() : List.of(describe(reason, input.key(), input.value()));
    }

    private static String describe(
            @Nullable String reason, byte @Nullable [] key, byte @Nullable [] value) {
        return reason + " " + describe(key) + " " + describe(value);
    }

    /** Short, and equal for equal bytes only, as far as a hash can tell. */
    private static String describe(byte @Nullable [] bytes) {
        return bytes == null ? "null" : bytes.length + "#" + Arrays.hashCode(bytes);
    }

    private static List<String> applied(ConsumerGroup group) {
        return group.rows().rows().entrySet().stream()
                .filter(row -> row.getValue().ledger() != null)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static byte[] largeValue() {
        byte[] value = new byte[10 << 20];
        Arrays.fill(value, (byte) ' ');
        value[0] = '[';
        value[value.length - 1] = ']';
        return value;
    }

    private static byte[] good(String id) {
        return bytes(GOOD.formatted(id));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
