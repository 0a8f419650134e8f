package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.key.Division;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells slots of one place of sources, before anything of these is saved there. While that can't be
 * done, the keys wait: those of a partition that has never fed their slot. Others go on.
 *
 * <p>Threads: thread-safe (guarded by this where it asks, one at a time).
 */
final class Introductions implements Function<Envelope, @Nullable Outcome> {

    private static final long ASKED_AGAIN_AFTER = 1_000_000_000;

    private final Division division;
    private final FedSlots fed;
    private final LongSupplier nanoTime;
    private volatile @Nullable Failed failed; // while it is young, nobody is asked

    private record Failed(UnavailableException cause, long at) {}

    Introductions(Division division, FedSlots fed, LongSupplier nanoTime) {
        this.division = division;
        this.fed = fed;
        this.nanoTime = nanoTime;
    }

    /**
     * @return null if the slot of the envelope's key knows all sources of its messages
     */
    @Override
    public @Nullable Outcome apply(Envelope envelope) {
        int slot = division.slotOf(envelope.key());
        @Nullable PartitionEpoch last = null;
        for (Message message : envelope.messages()) {
            PartitionEpoch epoch = message.epoch();
            if (epoch != last && !fed.has(epoch.source(), slot)) {
                try {
                    introduce(epoch, slot);
                } catch (UnavailableException e) {
                    return new Outcome.Waiting(Dispositions.NONE, Doing.NEW_TO_SLOT, e);
                }
            }
            last = epoch;
        }
        return null;
    }

    /** What was durable when the partition was positioned is not of this slot. */
    private synchronized void introduce(PartitionEpoch epoch, int slot) {
        Failed before = failed;
        if (before != null && nanoTime.getAsLong() - before.at() < ASKED_AGAIN_AFTER) {
            throw before.cause();
        }
        try {
            fed.introduce(epoch.source(), epoch.partition(), slot);
            failed = null;
        } catch (UnavailableException e) {
            failed = new Failed(e, nanoTime.getAsLong());
            throw e;
        }
    }
}
