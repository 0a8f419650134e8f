package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.FAILURES;
import static dev.envelope.app.config.key.Key.Trait.OF_BROKERS;
import static dev.envelope.app.config.key.Key.Trait.OF_ROWS;
import static dev.envelope.app.config.value.Quantities.duration;
import static dev.envelope.app.config.value.Quantities.wholeNumber;
import static dev.envelope.app.config.value.Types.kafkaName;
import static dev.envelope.app.config.value.Types.oneOf;

import java.time.Duration;

/** The settings that say where dead letters go. */
public final class OutboxKeys {

    /** The naming scheme of the headers that say where a dead letter comes from. */
    public enum HeaderNames {
        /** {@code __streams.errors.*}, as Kafka Streams has them. */
        STREAMS,
        /** {@code kafka_dlt-*}, as Spring has them. */
        SPRING,
        /** {@code __connect.errors.*}, as Kafka Connect has them. */
        CONNECT
    }

    static final Keys KEYS = new Keys(FAILURES);

    public static final Key<String> TOPIC =
            KEYS.add("dead.letter.topic", kafkaName())
                    .is(OF_BROKERS)
                    .example("payments-dead")
                    .means(
                            "Where dead letters go; on.failure=dead-letter needs it, and the topic"
                                    + " must exist. They arrive at least once, in the order of each"
                                    + " key; the header envelope.id tells a repetition.");

    public static final Key<HeaderNames> HEADERS =
            KEYS.add("dead.letter.headers", oneOf(HeaderNames.class), "streams")
                    .is(OF_BROKERS)
                    .means(
                            "The naming scheme of the headers that say where a dead letter"
                                    + " comes from and why it failed: Kafka Streams"
                                    + " (__streams.errors.*), Spring (kafka_dlt-*) or Kafka Connect"
                                    + " (__connect.errors.*). The headers envelope.* are always there.");

    public static final Key<Integer> MAX_ROWS =
            KEYS.add("outbox.max.rows", wholeNumber(1, 10_000_000), "100000")
                    .is(OF_ROWS, OF_BROKERS)
                    .means(
                            "How many dead letters may wait in the database for Kafka; then"
                                    + " messages that would become some wait, and the process is"
                                    + " not ready. As many outputs may wait.");

    public static final Key<Duration> MAX_AGE =
            KEYS.add("outbox.max.age", duration("1s", "30d"), "10m")
                    .is(OF_ROWS, OF_BROKERS)
                    .means("How long the first of them may wait before the same happens.");

    private OutboxKeys() {}
}
