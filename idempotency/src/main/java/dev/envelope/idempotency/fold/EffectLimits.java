package dev.envelope.idempotency.fold;

/**
 * How much a handler may emit. A message that wants more has failed; a turn that has emitted this
 * much saves, and leaves the rest for the next turn.
 */
public record EffectLimits(int perMessage, long bytesPerMessage, int perTurn, long bytesPerTurn) {

    /** 100 records or 1 MiB a message, 10,000 records or 16 MiB a turn. */
    public static final EffectLimits DEFAULT = new EffectLimits(100, 1 << 20, 10_000, 16 << 20);

    public EffectLimits {
        if (perMessage < 1 || bytesPerMessage < 1 || perTurn < 1 || bytesPerTurn < 1) {
            throw new IllegalArgumentException("limits must be positive");
        }
    }
}
