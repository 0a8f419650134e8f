package dev.envelope.core.assignment;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.Words;
import dev.envelope.core.decode.DecoderOutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * What was polled of a partition and waits for its keys to be decoded, before it enters the ledger.
 *
 * @param next where the client goes on behind it
 * @param since when its first record became the first, by the engine's clock
 * @param failures how often its first key could not be decoded
 * @param unclearSince since when it is that nobody can tell why; empty if the last failure was an
 *     outage
 * @param trouble why not; empty if that was not tried yet
 */
public record Undecoded(
        List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> records,
        Optional<OffsetAndMetadata> next,
        long since,
        int failures,
        OptionalLong unclearSince,
        String trouble) {

    private static final int WORTH_TELLING = 3;
    private static final Duration LONG = Duration.ofSeconds(5);

    public static Undecoded of(
            List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> records,
            Optional<OffsetAndMetadata> next,
            long now) {
        return new Undecoded(records, next, now, 0, OptionalLong.empty(), "");
    }

    /** More has come. */
    public Undecoded plus(
            List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> more,
            Optional<OffsetAndMetadata> behind) {
        List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> all = new ArrayList<>(records);
        all.addAll(more);
        return new Undecoded(all, behind.or(() -> next), since, failures, unclearSince, trouble);
    }

    /** Without those that have been decoded. */
    public Undecoded from(int size, long now) {
        return size == 0 ? this : of(List.copyOf(records.subList(size, records.size())), next, now);
    }

    /** Its first key can't be decoded now. */
    public Undecoded failed(DecoderOutException why, long now) {
        OptionalLong unclear =
                why.isClear() ? OptionalLong.empty() : OptionalLong.of(unclearSince.orElse(now));
        return new Undecoded(
                records, next, since, failures + 1, unclear, String.valueOf(why.getMessage()));
    }

    /** How long it has been that nobody can tell why its first key can't be decoded. */
    public long unclearNanos(long now) {
        return now - unclearSince.orElse(now);
    }

    /** Whether it is the same, but for what has come since: the same record, not one read again. */
    public boolean beginsAs(Undecoded other) {
        return records.get(0) == other.records.get(0);
    }

    /** Whether that is more than a moment: it fails, or whoever is asked does not answer. */
    public boolean isInTrouble(long now) {
        return hasFailedOften() || now - since > LONG.toNanos();
    }

    public boolean hasFailedOften() {
        return failures >= WORTH_TELLING;
    }

    /** The offset behind its last record. */
    long nextOffset() {
        return next.map(OffsetAndMetadata::offset)
                .orElseGet(() -> NextOffset.after(records.get(records.size() - 1).offset()));
    }

    /** What it waits for. */
    public String inWords(long now) {
        long offset = records.get(0).offset();
        return failures > 0
                ? "the key of the record at offset %d can't be decoded, after %s: %s"
                        .formatted(offset, Words.count(failures, "attempt"), trouble)
                : "its keys, from offset %d on, are being decoded since %d s, without an answer"
                        .formatted(offset, Duration.ofNanos(now - since).toSeconds());
    }
}
