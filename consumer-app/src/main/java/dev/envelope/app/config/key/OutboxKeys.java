package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.FAILURES;

import dev.envelope.app.config.value.Quantities;
import dev.envelope.app.config.value.Types;
import java.time.Duration;
import java.util.List;

/**
 * The settings that say where dead letters go.
 *
 * <p>Threads: stateless.
 */
public final class OutboxKeys {

    /** In whose words a dead letter says where it comes from. */
    public enum HeaderNames {
        /** {@code __streams.errors.*}, as Kafka Streams has them. */
        STREAMS,
        /** {@code kafka_dlt-*}, as Spring has them. */
        SPRING,
        /** {@code __connect.errors.*}, as Kafka Connect has them. */
        CONNECT
    }

    public static final Key<String> TOPIC =
            Key.named("dead.letter.topic", Types.kafkaName())
                    .example("payments-dead")
                    .means(
                            FAILURES,
                            "Where dead letters go; on.failure=dead-letter needs it, and the topic"
                                    + " must exist. They arrive at least once, in the order of each"
                                    + " key; the header envelope.id tells a repetition.");

    public static final Key<HeaderNames> HEADERS =
            Key.named("dead.letter.headers", Types.oneOf(HeaderNames.class))
                    .orElse("streams")
                    .means(
                            FAILURES,
                            "In whose words the headers of a dead letter say where it comes from and"
                                    + " why it failed: those of Kafka Streams (__streams.errors.*),"
                                    + " Spring (kafka_dlt-*) or Kafka Connect (__connect.errors.*);"
                                    + " envelope.* are there in each case.");

    public static final Key<Integer> MAX_ROWS =
            Key.named("outbox.max.rows", Quantities.wholeNumber(1, 10_000_000))
                    .orElse("100000")
                    .means(
                            FAILURES,
                            "How many dead letters may wait in the database for Kafka; then messages"
                                    + " that would become some wait, and the process is not ready.");

    public static final Key<Duration> MAX_AGE =
            Key.named("outbox.max.age", Quantities.duration("1s", "30d"))
                    .orElse("10m")
                    .means(
                            FAILURES,
                            "How long the first of them may wait before the same happens.");

    static final List<Key<?>> ALL = List.of(TOPIC, HEADERS, MAX_ROWS, MAX_AGE);

    private OutboxKeys() {}
}
