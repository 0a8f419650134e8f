package dev.envelope.idempotency.fold;

import dev.envelope.idempotency.outbox.DeadLetters;
import org.jspecify.annotations.Nullable;

/**
 * What becomes records.
 *
 * @param deadLetters makes dead letters of messages that are given up or can't have a row; null if
 *     they are parked
 * @param changelog the topic that gets the new state of each changed key; null for none
 * @param limits how much a handler may emit
 * @param timers whether a handler may set timers
 */
public record PuttingOut(
        @Nullable DeadLetters deadLetters,
        @Nullable String changelog,
        EffectLimits limits,
        boolean timers) {

    /** Parks messages that are given up; no changelog, no timers; the default limits. */
    public static final PuttingOut NOTHING =
            new PuttingOut(null, null, EffectLimits.DEFAULT, false);

    /** The same, but messages that are given up become dead letters. */
    public static PuttingOut of(@Nullable DeadLetters deadLetters) {
        return new PuttingOut(deadLetters, null, EffectLimits.DEFAULT, false);
    }
}
