package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.READ;
import static dev.envelope.app.config.key.Key.Trait.MATTERS;
import static dev.envelope.app.config.key.Key.Trait.OF_BROKERS;
import static dev.envelope.app.config.key.Key.Trait.OF_ROWS;
import static dev.envelope.app.config.key.Key.Trait.OF_TOPICS;
import static dev.envelope.app.config.value.Places.dedupeId;
import static dev.envelope.app.config.value.Places.startFrom;
import static dev.envelope.app.config.value.Quantities.duration;
import static dev.envelope.app.config.value.Quantities.wholeNumber;
import static dev.envelope.app.config.value.Types.kafkaName;
import static dev.envelope.app.config.value.Types.oneOf;
import static dev.envelope.app.config.value.Types.oneOfOrClass;
import static dev.envelope.app.config.value.Types.servers;
import static dev.envelope.app.config.value.Types.topics;

import dev.envelope.app.config.value.Choice;
import dev.envelope.app.config.value.DedupeId;
import dev.envelope.app.config.value.HostPort;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.position.StartFrom;
import java.time.Duration;
import java.util.List;

/** The settings that say what is read. */
public final class ReadKeys {

    /** How the bytes of a key become the text that is the row's key. */
    public enum KeyFormat {
        /** Strict UTF-8. */
        STRING,
        /** Eight bytes, big-endian. */
        LONG,
        /** Four bytes, big-endian. */
        INT,
        /** The text of a UUID, in either case. */
        UUID,
        /** Any bytes. */
        BASE64,
        /** The columns of a table's key, in JSON. */
        DEBEZIUM
    }

    /** How the bytes of a value become what a handler gets. */
    public enum ValueFormat {
        /** A JSON document. */
        JSON,
        /** A change of a row of a table, in JSON. */
        DEBEZIUM,
        /** Strict UTF-8. */
        STRING,
        /** As they are. */
        BYTES
    }

    static final Keys KEYS = new Keys(READ);

    public static final Key<String> APPLICATION_ID =
            KEYS.required("application.id", kafkaName())
                    .example("balances")
                    .means(
                            "The name of the application; it is the consumer group's id, and the"
                                    + " database schema belongs to it.");

    public static final Key<List<HostPort>> BOOTSTRAP_SERVERS =
            KEYS.required("bootstrap.servers", servers())
                    .example("localhost:9092")
                    .is(OF_BROKERS)
                    .means(
                            "The brokers that the clients ask first. With source=table only what is"
                                    + " emitted and dead letters need them.");

    public static final Key<List<String>> TOPICS =
            KEYS.required("topics", topics())
                    .example("payments")
                    .is(OF_TOPICS)
                    .means("The topics that are read.");

    public static final Key<RowKeys.Scope> KEY_SCOPE =
            KEYS.add("key.scope", oneOf(RowKeys.Scope.class))
                    .orElse("application where there is one topic")
                    .example("topic")
                    .means(
                            "Whether equal keys of several topics share one row"
                                    + " (application) or have one each (topic); required with more"
                                    + " than one topic. The first start stores it, and a start with"
                                    + " another value is refused (envelope pin --help). Topics that"
                                    + " share rows should have the same number of partitions.");

    public static final Key<StartFrom> START_FROM =
            KEYS.add("start.from", startFrom(), "earliest")
                    .example("2026-01-31T00:00:00Z")
                    .is(MATTERS, OF_TOPICS)
                    .means(
                            "Where reading begins in a topic that this application has"
                                    + " never read; later starts continue where the last one ended.");

    public static final Key<Choice<KeyFormat>> KEY_FORMAT =
            KEYS.add("key.format", oneOfOrClass(KeyFormat.class), "string")
                    .is(MATTERS)
                    .means(
                            "How a record's key becomes the row's key: debezium reads the"
                                    + " key of a change event in JSON; a class is a Kafka"
                                    + " Deserializer. The first start stores it, and a start with"
                                    + " another value is refused (envelope pin --help).");

    public static final Key<Choice<ValueFormat>> VALUE_FORMAT =
            KEYS.add("value.format", oneOfOrClass(ValueFormat.class), "json")
                    .means(
                            "How a record's value becomes the message: debezium reads a"
                                    + " change event in JSON (the message is the row after the change,"
                                    + " a deletion is a tombstone); a class is a Kafka Deserializer.");

    public static final Key<DedupeId> DEDUPE_ID =
            KEYS.add("dedupe.id", dedupeId(), "none")
                    .example("header:event-id")
                    .is(MATTERS, OF_ROWS)
                    .means(
                            "Where a record has the id of its event, so that an event that"
                                    + " its producer sent twice counts once. Redelivered records count"
                                    + " once without it.");

    public static final Key<Integer> DEDUPE_WINDOW_MESSAGES =
            KEYS.add("dedupe.window.messages", wholeNumber(1, 10_000), "128")
                    .raiseIf("producers repeat events after many others of the same key")
                    .lowerIf("rows are to be smaller: an id takes 16 bytes of its row")
                    .is(OF_ROWS)
                    .means("How many of the latest event ids a row remembers.");

    public static final Key<Duration> DEDUPE_WINDOW_AGE =
            KEYS.add("dedupe.window.age", duration("1s", "3650d"))
                    .example("7d")
                    .is(OF_ROWS)
                    .means(
                            "How long an event id is remembered, by the records'"
                                    + " timestamps; without it only the count is a limit.");

    private ReadKeys() {}
}
