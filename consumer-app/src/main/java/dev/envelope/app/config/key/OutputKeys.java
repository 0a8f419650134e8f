package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.OUTPUTS;
import static dev.envelope.app.config.key.Key.Trait.OF_TOPICS;
import static dev.envelope.app.config.key.Relation.notLargerThan;
import static dev.envelope.app.config.value.Quantities.bytes;
import static dev.envelope.app.config.value.Quantities.wholeNumber;
import static dev.envelope.app.config.value.Types.flag;
import static dev.envelope.app.config.value.Types.kafkaName;
import static dev.envelope.app.config.value.Types.oneOf;

/** The settings of what handlers emit. */
public final class OutputKeys {

    /** How outputs go to Kafka. */
    public enum Delivery {
        /** Once, for consumers that read with read_committed. */
        EXACTLY_ONCE,
        /** At least once, for brokers without transactions. */
        AT_LEAST_ONCE,
        /** Not at all. */
        NONE
    }

    static final Keys KEYS = new Keys(OUTPUTS);

    public static final Key<Delivery> DELIVERY =
            KEYS.add("output.delivery", oneOf(Delivery.class))
                    .orElse("exactly-once if the brokers have transactions, else at-least-once")
                    .example("at-least-once")
                    .means(
                            "How what handlers emit goes to Kafka: exactly-once for consumers with"
                                    + " isolation.level=read_committed; at-least-once; or none,"
                                    + " which drops it, for a replay of what was sent before;"
                                    + " then no timer fires either.");

    public static final Key<String> EMIT_TOPIC =
            KEYS.add("emit.topic", kafkaName())
                    .example("balances")
                    .means(
                            "The topic that gets the new state of each key that has changed, once"
                                    + " per save, and a tombstone when a state is deleted; it must"
                                    + " exist. Works with every handler.");

    public static final Key<String> NUMBERS_TOPIC =
            KEYS.add("output.numbers.topic", kafkaName())
                    .orElse("the first of topics; with a table emit.topic or dead.letter.topic")
                    .example("balances")
                    .means(
                            "A topic that exists and that we may read: for exactly-once the number of"
                                    + " each batch is committed for its first partition, under a"
                                    + " group of its own. Nothing is read or written there.");

    public static final Key<Integer> PER_MESSAGE =
            KEYS.add("emit.max.per.message", wholeNumber(1, 100_000), "100")
                    .must(notLargerThan(() -> OutputKeys.PER_TURN))
                    .means(
                            "How many records a handler may emit for one message; a message that"
                                    + " wants more has failed.");

    public static final Key<Long> BYTES_PER_MESSAGE =
            KEYS.add("emit.max.bytes.per.message", bytes("1KiB", "64MiB"), "1MiB")
                    .must(notLargerThan(() -> OutputKeys.BYTES_PER_TURN))
                    .means("How many bytes these may have, with keys and headers.");

    public static final Key<Integer> PER_TURN =
            KEYS.add("emit.max.per.turn", wholeNumber(1, 1_000_000), "10000")
                    .means(
                            "After how many emitted records a turn saves what it has and leaves the"
                                    + " rest for the next one.");

    public static final Key<Long> BYTES_PER_TURN =
            KEYS.add("emit.max.bytes.per.turn", bytes("1KiB", "256MiB"), "16MiB")
                    .must(notLargerThan(() -> OutputKeys.MAX_BYTES))
                    .means("After how many emitted bytes it does the same.");

    public static final Key<Long> MAX_BYTES =
            KEYS.add("outbox.max.bytes", bytes("1MiB", "64GiB"), "256MiB")
                    .means(
                            "How many bytes of outputs may wait in the database for Kafka, and at"
                                    + " most outbox.max.rows records; then keys whose handler may"
                                    + " emit wait.");

    public static final Key<Boolean> TIMERS =
            KEYS.add("timers", flag(), "false")
                    .is(OF_TOPICS)
                    .means(
                            "Whether the handler may set timers. Their firings are records of the"
                                    + " application's own topics, which then need the right to"
                                    + " write and must not be compacted.");

    public static final Key<Integer> TIMERS_PER_SECOND =
            KEYS.add("timers.max.per.second", wholeNumber(1, 1_000_000), "5000")
                    .is(OF_TOPICS)
                    .means(
                            "How many timers a process fires in a second when many are overdue,"
                                    + " for example after an outage.");

    private OutputKeys() {}
}
