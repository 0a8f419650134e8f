package dev.envelope.idempotency.fold;

import dev.envelope.idempotency.outbox.DeadLetters;
import org.jspecify.annotations.Nullable;

/**
 * What becomes records, beside what the handler emits.
 *
 * @param deadLetters makes dead letters of messages that are given up or can't have a row; null if
 *     they are parked
 * @param changelog the topic that gets the new state of each changed key; null for none
 */
public record PuttingOut(@Nullable DeadLetters deadLetters, @Nullable String changelog) {

    /** Parks messages that are given up; no changelog. */
    public static final PuttingOut NOTHING = new PuttingOut(null, null);
}
