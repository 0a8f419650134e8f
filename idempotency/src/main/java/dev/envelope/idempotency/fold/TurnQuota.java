package dev.envelope.idempotency.fold;

import java.util.function.BooleanSupplier;

/**
 * How much a turn may still fold: until its time is up, or it has emitted enough. It is exceeded by
 * at most what one message may emit.
 *
 * <p>Threads: the worker of the turn; a fold that was left behind may still add to it, which only
 * ends the turn earlier.
 */
public final class TurnQuota {

    private final EffectLimits limits;
    private final BooleanSupplier timeUp;
    private int outputs;
    private long bytes;

    TurnQuota(EffectLimits limits, BooleanSupplier timeUp) {
        this.limits = limits;
        this.timeUp = timeUp;
    }

    EffectLimits limits() {
        return limits;
    }

    /** Whether the turn has emitted as much as it may. */
    public boolean isUsedUp() {
        return outputs >= limits.perTurn() || bytes >= limits.bytesPerTurn();
    }

    boolean isOver() {
        return isUsedUp() || timeUp.getAsBoolean();
    }

    void emitted(int more, long moreBytes) {
        outputs += more;
        bytes += moreBytes;
    }
}
