package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.FAILURES;

import dev.envelope.app.config.value.Quantities;
import dev.envelope.app.config.value.Types;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.position.PositionPolicy;
import java.time.Duration;
import java.util.List;

/**
 * The settings that say what happens when something is wrong.
 *
 * <p>Threads: stateless.
 */
public final class FailureKeys {

    /** What happens to a record without a key. */
    public enum OnNullKey {
        /** It is recorded apart, and the rest goes on. */
        REJECT,
        /** All of a partition are one row. */
        PARTITION,
        /** They are spread over a fixed number of rows. */
        SPREAD
    }

    /** What happens to a key whose state another version of the handler has written. */
    public enum OnOtherVersion {
        /** It waits for a process that can read it. */
        WAIT,
        /** Its partition stops. */
        STOP
    }

    public static final Key<Integer> RETRY_MAX_ATTEMPTS =
            Key.named("retry.max.attempts", Quantities.wholeNumber(1, 1_000_000))
                    .orElse("10")
                    .raiseIf("handlers fail for a while because of others")
                    .matters()
                    .means(
                            FAILURES,
                            "How often a message is tried before on.failure decides; outages of the"
                                    + " database or of Kafka do not count.");

    public static final Key<Duration> RETRY_BACKOFF_INITIAL =
            Key.named("retry.backoff.initial", Quantities.duration("1ms", "10m"))
                    .orElse("200ms")
                    .means(
                            FAILURES,
                            "How long a key waits after its message failed first; the wait doubles"
                                    + " with every attempt.");

    public static final Key<Duration> RETRY_BACKOFF_MAX =
            Key.named("retry.backoff.max", Quantities.duration("1ms", "1h"))
                    .orElse("30s")
                    .means(FAILURES, "The longest wait between two attempts.");

    public static final Key<Duration> DECODE_RETRY_MAX =
            Key.named("decode.retry.max", Quantities.duration("1s", "1d"))
                    .orElse("5m")
                    .means(
                            FAILURES,
                            "How long a key or a value is tried that can't be decoded, when its"
                                    + " deserializer's error tells neither an outage, which is"
                                    + " waited for as long as it lasts, nor bad bytes, which are"
                                    + " the message's fault. Then its partition stops. Nothing is"
                                    + " parked for it.");

    public static final Key<OnOtherVersion> ON_OTHER_VERSION =
            Key.named("on.other.version", Types.oneOf(OnOtherVersion.class))
                    .orElse("wait")
                    .means(
                            FAILURES,
                            "What happens to a key whose state was written by another version of the"
                                    + " handler, and can't be read by this one: wait for a process"
                                    + " that can, for other.version.wait.max, and stop its partition"
                                    + " then; or stop it at once. No attempt is counted, and nothing"
                                    + " is parked.");

    public static final Key<Duration> OTHER_VERSION_WAIT_MAX =
            Key.named("other.version.wait.max", Quantities.duration("1s", "30d"))
                    .orElse("1h")
                    .raiseIf("a rolling deployment takes longer")
                    .means(
                            FAILURES,
                            "How long such a key waits, with on.other.version=wait; its other"
                                    + " messages wait behind it, and in the end its partition.");

    public static final Key<FailurePolicy.Last> ON_FAILURE =
            Key.named("on.failure", Types.oneOf(FailurePolicy.Last.class))
                    .orElse("park")
                    .matters()
                    .means(
                            FAILURES,
                            "What happens after a message's last attempt: park sets it aside, with"
                                    + " all that comes after it of its key, until an operator"
                                    + " redrives, skips or drops it (envelope parked --help);"
                                    + " dead-letter puts it alone out to dead.letter.topic, and its"
                                    + " key goes on; stop stops its partition. Nothing is skipped.");

    public static final Key<Integer> PARKED_MAX_PER_KEY =
            Key.named("parked.max.per.key", Quantities.wholeNumber(1, 1_000_000_000))
                    .orElse("10000")
                    .means(
                            FAILURES,
                            "Most parked messages of a key. Beyond that its partition stops, and"
                                    + " stays stopped until: envelope partitions resume. Nothing"
                                    + " is lost.");

    public static final Key<Integer> PARKED_MAX_PER_PARTITION =
            Key.named("parked.max.per.partition", Quantities.wholeNumber(1, 1_000_000_000))
                    .orElse("100000")
                    .means(
                            FAILURES,
                            "Most parked messages of a partition, give or take a turn's. Beyond"
                                    + " that it stops in the same way.");

    public static final Key<Integer> STOP_SHARE =
            Key.named("on.failure.stop.share", Quantities.wholeNumber(1, 100))
                    .orElse("50")
                    .means(
                            FAILURES,
                            "The share of a partition's recent messages, in percent, that may fail"
                                    + " for good. If more do, the partition stops in the same way,"
                                    + " instead of setting everything aside; 100 never does."
                                    + " Messages that are only parked behind another of their key"
                                    + " do not count.");

    public static final Key<Integer> STOP_LEAST =
            Key.named("on.failure.stop.min", Quantities.wholeNumber(1, 1_000_000))
                    .orElse("100")
                    .means(
                            FAILURES,
                            "How many failures on.failure.stop.share looks at: so many of the last"
                                    + " messages must have failed for good. So a few bad messages"
                                    + " in a quiet night stop nothing.");

    public static final Key<List<String>> RETRY_NEVER =
            Key.named("retry.never", Types.texts("list of class names"))
                    .example("java.lang.IllegalArgumentException")
                    .means(
                            FAILURES,
                            "Exceptions after which a message is not tried again: on.failure"
                                    + " decides at once. A subclass counts, and so does one that is"
                                    + " the cause of another.");

    public static final Key<PositionPolicy.OffsetAhead> ON_OFFSET_AHEAD =
            Key.named("on.offset.ahead", Types.oneOf(PositionPolicy.OffsetAhead.class))
                    .orElse("stop")
                    .means(
                            FAILURES,
                            "What happens when somebody moved the group's offset ahead of what is"
                                    + " saved: stop, follow (skip what lies between), or rewind"
                                    + " (undo the move).");

    public static final Key<PositionPolicy.Gap> ON_GAP =
            Key.named("on.gap", Types.oneOf(PositionPolicy.Gap.class))
                    .orElse("stop")
                    .means(
                            FAILURES,
                            "What happens when Kafka deleted records before they were read: stop, or"
                                    + " earliest (go on with what is left; the loss is counted and recorded"
                                    + " in the table skipped).");

    public static final Key<OnNullKey> ON_NULL_KEY =
            Key.named("on.null.key", Types.oneOf(OnNullKey.class))
                    .orElse("reject")
                    .means(
                            FAILURES,
                            "What happens to a record without a key: reject records it in the table"
                                    + " parked, and the rest goes on; partition makes one row of all"
                                    + " of a partition; spread makes null.key.spread rows, by"
                                    + " partition and offset. The first start with partition or"
                                    + " spread writes it down, and a start with the other is"
                                    + " refused. Leave reject only after a clean stop: what it"
                                    + " recorded and is read again gets a row as well.");

    public static final Key<Integer> NULL_KEY_SPREAD =
            Key.named("null.key.spread", Quantities.wholeNumber(1, 4096))
                    .orElse("64")
                    .raiseIf("many records have no key, and their rows are the bottleneck")
                    .means(
                            FAILURES,
                            "How many rows records without a key are spread over under"
                                    + " on.null.key=spread; the first start writes it down, and a"
                                    + " start with another number is refused.");

    public static final Key<PositionPolicy.TopicRecreated> ON_TOPIC_RECREATED =
            Key.named("on.topic.recreated", Types.oneOf(PositionPolicy.TopicRecreated.class))
                    .orElse("stop")
                    .means(
                            FAILURES,
                            "What happens when a topic was deleted and made again under its name:"
                                    + " stop, continue (all of it is new and read from its"
                                    + " beginning), or adopt (it is the same log under another id,"
                                    + " after a move to another cluster: what was applied counts)."
                                    + " Adopt after a clean stop, and do not move the group back"
                                    + " below it: what is read again there may stop its"
                                    + " partition.");

    public static final Key<PositionPolicy.LogTruncated> ON_LOG_TRUNCATED =
            Key.named("on.log.truncated", Types.oneOf(PositionPolicy.LogTruncated.class))
                    .orElse("stop")
                    .means(
                            FAILURES,
                            "What happens when records that were applied are not in the log any"
                                    + " more, after an unclean election: stop, or continue (what is"
                                    + " behind the cut is new; the effects of what is gone stay).");

    public static final Key<Duration> PARTITION_GRACE =
            Key.named("partition.grace", Quantities.duration("0ms", "1d"))
                    .orElse("10m")
                    .raiseIf("producers refresh their metadata more rarely (metadata.max.age.ms)")
                    .means(
                            FAILURES,
                            "How long producers may take to learn of partitions that were added to a"
                                    + " topic in use. For so long what new partitions bring waits until"
                                    + " what was sent before to the older ones is saved, so that a key"
                                    + " that moves keeps its order. 0ms: it does not wait.");

    static final List<Key<?>> ALL =
            List.of(
                    RETRY_MAX_ATTEMPTS,
                    RETRY_BACKOFF_INITIAL,
                    RETRY_BACKOFF_MAX,
                    RETRY_NEVER,
                    DECODE_RETRY_MAX,
                    ON_OTHER_VERSION,
                    OTHER_VERSION_WAIT_MAX,
                    ON_FAILURE,
                    PARKED_MAX_PER_KEY,
                    PARKED_MAX_PER_PARTITION,
                    STOP_SHARE,
                    STOP_LEAST,
                    ON_OFFSET_AHEAD,
                    ON_GAP,
                    ON_NULL_KEY,
                    NULL_KEY_SPREAD,
                    ON_TOPIC_RECREATED,
                    ON_LOG_TRUNCATED,
                    PARTITION_GRACE);

    private FailureKeys() {}
}
