package dev.envelope.idempotency.limit;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.MustStopException;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.fold.SetAside;
import dev.envelope.idempotency.fold.Work;
import dev.envelope.idempotency.store.PartitionStops;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.ParkedMessage;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How much may be set aside before the partition stops instead: per key, per partition, and as a
 * share of recent messages. Beyond that nothing is lost: the message is not set aside, nothing is
 * committed past it, and the partition stays stopped until an operator resumes it.
 *
 * <p>The parked messages of a partition are counted once per epoch, then tracked in memory, and
 * counted again before a refusal. Several workers may exceed the limit by a turn's messages.
 *
 * <p>Threads: thread-safe (a concurrent map of thread-safe counts).
 */
public final class SetAsideLimits {

    /**
     * The limits.
     *
     * @param perKey most parked messages of a key
     * @param perPartition most parked messages of a partition
     * @param sharePercent of a partition's recent messages that may fail for good; 100 never stops
     * @param shareLeast over how many of the last failures the share is measured
     */
    public record Bounds(int perKey, int perPartition, int sharePercent, int shareLeast) {

        public Bounds {
            if (perKey < 1 || perPartition < 1 || sharePercent < 1 || shareLeast < 1) {
                throw new IllegalArgumentException("limits must be positive");
            }
        }
    }

    /** The counts of a partition since it was positioned. */
    private static final class Counts {

        private static final long UNKNOWN = -1;

        private final long epoch;
        private final AtomicLong parked = new AtomicLong(UNKNOWN);

        Counts(long epoch) {
            this.epoch = epoch;
        }
    }

    private final Bounds bounds;
    private final PartitionStops stops;
    private final Told told;
    private final FailingShares shares;
    private final Map<Integer, Counts> bySource = new ConcurrentHashMap<>();

    /** A listener for what became of messages. */
    public interface Told {

        /** A message was parked that is not behind another of its key. */
        void frozen(ParkedMessage message);

        /** A message was parked behind another of its key. */
        default void behind() {}

        /** Some messages were applied. */
        default void folded() {}
    }

    public SetAsideLimits(Bounds bounds, PartitionStops stops, Told told) {
        this.bounds = bounds;
        this.stops = stops;
        this.told = told;
        this.shares = new FailingShares(bounds.sharePercent(), bounds.shareLeast());
    }

    /** No limits. */
    public static SetAsideLimits none() {
        PartitionStops never =
                new PartitionStops() {
                    @Override
                    public long parked(int source) {
                        return 0;
                    }

                    @Override
                    public void stop(int source, String reason) {}
                };
        int any = Integer.MAX_VALUE;
        return new SetAsideLimits(new Bounds(any, any, 100, 1), never, message -> {});
    }

    /**
     * Whether the messages that a change sets aside are within the limits.
     *
     * @return null if they are; a {@link MustStopException} if the partition must stop instead,
     *     which is recorded if the work is confirmed; an {@link UnavailableException} if the store
     *     could not be read
     */
    public @Nullable RuntimeException refusal(Work<?> work, Change change) {
        if (change.parked().isEmpty() && change.deadLetters().isEmpty()) {
            return null;
        }
        try {
            String why = tooMuch(change);
            if (why.isEmpty()) {
                return null;
            }
            if (work.isConfirmed()) {
                stops.stop(epoch(change).source(), why);
            }
            return new MustStopException(why);
        } catch (UnavailableException e) {
            return e;
        }
    }

    /**
     * The epoch of the first message that is set aside: that message fails if the limit is
     * exceeded.
     */
    private static PartitionEpoch epoch(Change change) {
        Message first =
                change.parked().isEmpty()
                        ? change.deadLetters().get(0).origin()
                        : change.parked().get(0).message();
        return first.epoch();
    }

    private String tooMuch(Change change) {
        PartitionEpoch epoch = epoch(change);
        Counts counts = counts(epoch);
        int parked = change.parked().size();
        if (parked > 0 && !change.isWithoutRow()) {
            int ofKey = change.parkedBefore() + parked;
            if (ofKey > bounds.perKey()) {
                return "key "
                        + Words.quote(change.key())
                        + " has "
                        + change.parkedBefore()
                        + " parked messages, and with "
                        + parked
                        + " more it would have more than parked.max.per.key="
                        + bounds.perKey();
            }
        }
        if (parked > 0 && isFull(counts, epoch.source(), parked)) {
            return "it has "
                    + counts.parked.get()
                    + " parked messages, and with "
                    + parked
                    + " more of "
                    + (change.isWithoutRow() ? "no key" : "key " + Words.quote(change.key()))
                    + " it would have more than parked.max.per.partition="
                    + bounds.perPartition();
        }
        return shares.tooHigh(epoch);
    }

    private boolean isFull(Counts counts, int source, int more) {
        long known = counts.parked.get();
        if (known != Counts.UNKNOWN && known + more <= bounds.perPartition()) {
            return false;
        }
        long counted = stops.parked(source); // other processes park and redrive, too
        counts.parked.set(counted);
        return counted + more > bounds.perPartition();
    }

    /** Counts what a saved change has set aside. */
    public void saved(Work<?> work, Change change, int applied) {
        shares.passed(work.epoch(), applied);
        if (applied > change.parked().size() + change.deadLetters().size()) {
            told.folded();
        }
        for (ParkedMessage parked : change.parked()) {
            Counts counts = counts(parked.message().epoch());
            counts.parked.updateAndGet(known -> known == Counts.UNKNOWN ? known : known + 1);
            if (!parked.reason().equals(SetAside.BEHIND)) {
                failed(change, parked.message());
                told.frozen(parked);
            } else {
                told.behind();
            }
        }
        change.deadLetters().forEach(deadLetter -> failed(change, deadLetter.origin()));
    }

    /**
     * Without a row, nothing says of a message that is read again whether it has failed before. It
     * is read again, many at once, if rows are divided and those of another place went back.
     */
    private void failed(Change change, Message message) {
        PartitionEpoch epoch = message.epoch();
        if (!change.isWithoutRow() || !epoch.mayReadAgain(message.offset())) {
            shares.failed(epoch);
        }
    }

    private Counts counts(PartitionEpoch epoch) {
        Counts known = bySource.get(epoch.source());
        if (known != null && known.epoch >= epoch.number()) {
            return known;
        }
        return bySource.merge(
                epoch.source(),
                new Counts(epoch.number()),
                (one, other) -> one.epoch >= other.epoch ? one : other);
    }
}
