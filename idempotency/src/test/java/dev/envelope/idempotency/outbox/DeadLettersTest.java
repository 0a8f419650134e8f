package dev.envelope.idempotency.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Message;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.store.row.OutboxRecord;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Test;

/** The words that others know: names and bytes are read by programs that are not ours. */
class DeadLettersTest {

    private final Message message = Records.message(Records.epoch(4), 9, "a", "v");

    private Map<String, String> ours(DeadLetterHeaders naming) {
        return ours(message, naming);
    }

    private static Map<String, String> ours(Message failed, DeadLetterHeaders naming) {
        OutboxRecord letter =
                new DeadLetters("dead", "shop", naming)
                        .ofFailed(
                                failed,
                                "failed",
                                IllegalStateException.class,
                                new IllegalStateException("no\rway"),
                                10);
        Map<String, String> headers = new LinkedHashMap<>();
        for (Header header : letter.headers()) {
            headers.put(header.key(), new String(header.value(), StandardCharsets.ISO_8859_1));
        }
        return headers;
    }

    private static Message withHeader(Message message, String name, int value) {
        return Records.withHeader(message, name, new byte[] {(byte) value});
    }

    private static Map<String, String> inEachNaming() {
        return Map.of(
                "envelope.application", "shop",
                "envelope.reason", "failed",
                "envelope.attempts", "10",
                "envelope.timestamp", "1700000000009");
    }

    @Test
    void asKafkaStreamsHasThem() {
        assertThat(ours(DeadLetterHeaders.STREAMS))
                .containsAllEntriesOf(inEachNaming())
                .containsAllEntriesOf(
                        Map.of(
                                "__streams.errors.exception",
                                "java.lang.IllegalStateException: no\\u000dway",
                                "__streams.errors.message",
                                "no\\u000dway",
                                "__streams.errors.topic",
                                "t",
                                "__streams.errors.partition",
                                "3",
                                "__streams.errors.offset",
                                "9"))
                .hasSize(9);
    }

    @Test
    void asSpringHasThemWithNumbersAsBytes() {
        assertThat(ours(DeadLetterHeaders.SPRING))
                .containsAllEntriesOf(inEachNaming())
                .containsAllEntriesOf(
                        Map.of(
                                "kafka_dlt-original-topic",
                                "t",
                                "kafka_dlt-original-partition",
                                "\0\0\0\3",
                                "kafka_dlt-original-offset",
                                "\0\0\0\0\0\0\0\t",
                                "kafka_dlt-original-timestamp",
                                "\0\0\1\u008b\u00cf\u00e5h\t",
                                "kafka_dlt-original-timestamp-type",
                                "CreateTime",
                                "kafka_dlt-original-consumer-group",
                                "shop",
                                "kafka_dlt-exception-fqcn",
                                "java.lang.IllegalStateException",
                                "kafka_dlt-exception-message",
                                "no\\u000dway"))
                .hasSize(12);
    }

    @Test
    void asKafkaConnectHasThem() {
        assertThat(ours(DeadLetterHeaders.CONNECT))
                .containsAllEntriesOf(inEachNaming())
                .containsAllEntriesOf(
                        Map.of(
                                "__connect.errors.topic",
                                "t",
                                "__connect.errors.partition",
                                "3",
                                "__connect.errors.offset",
                                "9",
                                "__connect.errors.connector.name",
                                "shop",
                                "__connect.errors.exception.class.name",
                                "java.lang.IllegalStateException",
                                "__connect.errors.exception.message",
                                "no\\u000dway"))
                .hasSize(10);
    }

    @Test
    void whatAnEarlierJourneyHasLeftIsReplacedAndAllElseIsKept() {
        Message travelled =
                withHeader(
                        withHeader(
                                withHeader(
                                        withHeader(message, "__streams.errors.topic", 1),
                                        "__streams.errors.topic",
                                        2),
                                DeadLetters.ID,
                                3),
                        "__connect.errors.topic",
                        'c');

        assertThat(ours(travelled, DeadLetterHeaders.STREAMS))
                .containsEntry("__streams.errors.topic", "t")
                .containsEntry("__connect.errors.topic", "c")
                .doesNotContainKey(DeadLetters.ID);
        OutboxRecord letter =
                new DeadLetters("dead", "shop", DeadLetterHeaders.STREAMS)
                        .ofRefused(travelled, "null-key", "no key");
        assertThat(letter.headers().headers("__streams.errors.topic")).hasSize(1);
        assertThat(travelled.headers().toArray()).as("the message's own").hasSize(4);
    }

    @Test
    void whatIsSaidIsBounded() {
        OutboxRecord letter =
                new DeadLetters("dead", "shop", DeadLetterHeaders.CONNECT)
                        .ofRefused(message, "key-format", "x".repeat(100_000));

        assertThat(letter.headers().lastHeader("__connect.errors.exception.message").value())
                .hasSizeLessThan(300);
    }
}
