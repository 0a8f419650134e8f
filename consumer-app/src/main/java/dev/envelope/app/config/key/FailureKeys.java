package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.FAILURES;
import static dev.envelope.app.config.key.Key.Trait.MATTERS;
import static dev.envelope.app.config.key.Key.Trait.OF_ROWS;
import static dev.envelope.app.config.key.Key.Trait.OF_STORE;
import static dev.envelope.app.config.key.Key.Trait.OF_TOPICS;
import static dev.envelope.app.config.key.Relation.notLongerThan;
import static dev.envelope.app.config.value.Quantities.duration;
import static dev.envelope.app.config.value.Quantities.wholeNumber;
import static dev.envelope.app.config.value.Types.oneOf;
import static dev.envelope.app.config.value.Types.texts;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.position.PositionPolicy;
import java.time.Duration;
import java.util.List;

/** The settings that say what happens when something is wrong. */
public final class FailureKeys {

    /** What happens to a record without a key. */
    public enum OnNullKey {
        /** It is set aside, and the others go on. */
        REJECT,
        /** All of a partition go to one row. */
        PARTITION,
        /** They are spread over a fixed number of rows. */
        SPREAD
    }

    /** What happens to a key whose state was written by another version of the handler. */
    public enum OnOtherVersion {
        /** It waits for a process that can read it. */
        WAIT,
        /** Its partition stops. */
        STOP
    }

    static final Keys KEYS = new Keys(FAILURES);

    public static final Key<Integer> RETRY_MAX_ATTEMPTS =
            KEYS.add("retry.max.attempts", wholeNumber(1, 1_000_000), "10")
                    .raiseIf("handlers fail for a while because of others")
                    .is(MATTERS)
                    .means(
                            "How often a message is tried before on.failure decides; outages of the"
                                    + " database or of Kafka do not count.");

    public static final Key<Duration> RETRY_BACKOFF_INITIAL =
            KEYS.add("retry.backoff.initial", duration("1ms", "10m"), "200ms")
                    .must(notLongerThan(() -> FailureKeys.RETRY_BACKOFF_MAX))
                    .means(
                            "How long a key waits after its message failed first; the wait doubles"
                                    + " with every attempt.");

    public static final Key<Duration> RETRY_BACKOFF_MAX =
            KEYS.add("retry.backoff.max", duration("1ms", "1h"), "30s")
                    .means("The longest wait between two attempts.");

    public static final Key<List<String>> RETRY_NEVER =
            KEYS.add("retry.never", texts("list of class names"))
                    .example("java.lang.IllegalArgumentException")
                    .means(
                            "Exceptions after which a message is not tried again:"
                                    + " on.failure decides at once. Subclasses count, and exceptions"
                                    + " that have one as their cause.");

    public static final Key<Duration> DECODE_RETRY_MAX =
            KEYS.add("decode.retry.max", duration("1s", "1d"), "5m")
                    .means(
                            "How long a key or a value that can't be decoded is tried, if"
                                    + " its deserializer's error shows neither an outage (which is"
                                    + " waited for as long as it lasts) nor bad bytes (which are the"
                                    + " message's fault). Then its partition stops; nothing is parked.");

    public static final Key<OnOtherVersion> ON_OTHER_VERSION =
            KEYS.add("on.other.version", oneOf(OnOtherVersion.class), "wait")
                    .is(OF_ROWS)
                    .means(
                            "What happens to a key whose state was written by another"
                                    + " version of the handler and can't be read by this one: wait for"
                                    + " a process that can, for other.version.wait.max, and then stop"
                                    + " its partition; or stop it at once. No attempt is counted, and"
                                    + " nothing is parked.");

    public static final Key<Duration> OTHER_VERSION_WAIT_MAX =
            KEYS.add("other.version.wait.max", duration("1s", "30d"), "1h")
                    .raiseIf("a rolling deployment takes longer")
                    .is(OF_ROWS)
                    .means(
                            "How long such a key waits, with on.other.version=wait; its other"
                                    + " messages wait behind it, and in the end its partition.");

    public static final Key<FailurePolicy.Last> ON_FAILURE =
            KEYS.add("on.failure", oneOf(FailurePolicy.Last.class), "park")
                    .orElse(
                            "park; with mode=work: dead-letter if dead.letter.topic is set,"
                                    + " otherwise stop")
                    .example("park")
                    .is(MATTERS)
                    .means(
                            "What happens after a message's last attempt: park sets it"
                                    + " aside with all later messages of its key, until an operator"
                                    + " redrives, skips or drops it (envelope parked --help);"
                                    + " dead-letter sends it alone to dead.letter.topic, and its key goes"
                                    + " on; stop stops its partition. Nothing is skipped. With"
                                    + " mode=work nothing can be parked.");

    public static final Key<Integer> PARKED_MAX_PER_KEY =
            KEYS.add("parked.max.per.key", wholeNumber(1, 1_000_000_000), "10000")
                    .is(OF_ROWS)
                    .means(
                            "The most parked messages of a key. Beyond that its partition"
                                    + " stops, until envelope partitions resume. Nothing is lost.");

    public static final Key<Integer> PARKED_MAX_PER_PARTITION =
            KEYS.add("parked.max.per.partition", wholeNumber(1, 1_000_000_000), "100000")
                    .is(OF_ROWS)
                    .means(
                            "The most parked messages of a partition, give or take those of"
                                    + " a turn. Beyond that it stops in the same way.");

    public static final Key<Integer> STOP_SHARE =
            KEYS.add("on.failure.stop.share", wholeNumber(1, 100), "50")
                    .means(
                            "The percentage of a partition's recent messages that may fail"
                                    + " for good. Beyond that the partition stops in the same way"
                                    + " (with mode=work, until its process is started again), instead"
                                    + " of setting everything aside; 100 never does. Messages that are"
                                    + " only parked behind another of their key do not count.");

    public static final Key<Integer> STOP_LEAST =
            KEYS.add("on.failure.stop.min", wholeNumber(1, 1_000_000), "100")
                    .means(
                            "How many failures on.failure.stop.share looks at: at least so"
                                    + " many messages must have failed for good, so that a few bad"
                                    + " messages in a quiet night stop nothing.");

    public static final Key<PositionPolicy.OffsetAhead> ON_OFFSET_AHEAD =
            KEYS.add("on.offset.ahead", oneOf(PositionPolicy.OffsetAhead.class), "stop")
                    .is(OF_STORE, OF_TOPICS)
                    .means(
                            "What happens when somebody moved the group's offset ahead of what is"
                                    + " saved: stop, follow (skip what lies between), or rewind"
                                    + " (undo the move).");

    public static final Key<PositionPolicy.Gap> ON_GAP =
            KEYS.add("on.gap", oneOf(PositionPolicy.Gap.class), "stop")
                    .is(OF_TOPICS)
                    .means(
                            "What happens when Kafka deleted records before they were read: stop,"
                                    + " or earliest (go on with what is left; the loss is counted"
                                    + " and recorded in the table skipped).");

    public static final Key<OnNullKey> ON_NULL_KEY =
            KEYS.add("on.null.key", oneOf(OnNullKey.class), "reject")
                    .means(
                            "What happens to a record without a key: reject parks it, and"
                                    + " the rest goes on; partition makes one row for each partition;"
                                    + " spread makes null.key.spread rows, by partition and offset."
                                    + " The first start with partition or spread stores it, and a"
                                    + " start with the other is refused. Change from reject only after"
                                    + " a clean stop: records that it parked get a row as well if they"
                                    + " are read again.");

    public static final Key<Integer> NULL_KEY_SPREAD =
            KEYS.add("null.key.spread", wholeNumber(1, 4096), "64")
                    .raiseIf("many records have no key, and their rows are the bottleneck")
                    .means(
                            "How many rows there are for records without a key, with"
                                    + " on.null.key=spread; the first start stores it, and a start"
                                    + " with another number is refused.");

    public static final Key<PositionPolicy.TopicRecreated> ON_TOPIC_RECREATED =
            KEYS.add("on.topic.recreated", oneOf(PositionPolicy.TopicRecreated.class), "stop")
                    .is(OF_TOPICS)
                    .means(
                            "What happens when a topic was deleted and created again: stop;"
                                    + " continue (all of it is new, and read from its beginning); or"
                                    + " adopt (it is the same log under another id, after a move to"
                                    + " another cluster; what was applied counts). Adopt after a clean"
                                    + " stop, and do not move the group back below that point: records"
                                    + " that are read again there may stop their partition.");

    public static final Key<PositionPolicy.LogTruncated> ON_LOG_TRUNCATED =
            KEYS.add("on.log.truncated", oneOf(PositionPolicy.LogTruncated.class), "stop")
                    .is(OF_TOPICS)
                    .means(
                            "What happens when the log has lost applied records after an"
                                    + " unclean election: stop, or continue (records behind the cut"
                                    + " are new; the effects of the lost ones stay).");

    public static final Key<Duration> PARTITION_GRACE =
            KEYS.add("partition.grace", duration("0ms", "1d"), "10m")
                    .raiseIf("producers refresh their metadata more rarely (metadata.max.age.ms)")
                    .is(OF_STORE, OF_TOPICS)
                    .means(
                            "How long producers may take to notice partitions that were"
                                    + " added to a topic in use. For that long, records of new"
                                    + " partitions wait until everything that was sent earlier to the"
                                    + " older ones is saved, so that a key that moves keeps its order."
                                    + " 0ms: no wait.");

    private FailureKeys() {}
}
