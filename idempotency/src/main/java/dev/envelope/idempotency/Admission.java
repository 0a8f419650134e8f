package dev.envelope.idempotency;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.store.SlotAwayException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which envelopes have to wait before anything of them is saved, and what becomes of those that the
 * store does not answer for.
 *
 * @param held why one waits, or null
 */
record Admission(Function<Envelope, @Nullable Outcome> held) {

    @Nullable Outcome holds(Envelope envelope) {
        return held.apply(envelope);
    }

    /** Of a turn with a slot that has left, the envelopes of other slots come again at once. */
    Outcome unavailable(Envelope envelope, RuntimeException cause) {
        if (cause instanceof SlotAwayException) {
            @Nullable Outcome away = held.apply(envelope);
            return away == null ? Outcome.Deferred.NOT_BEGUN : away;
        }
        return cause instanceof OtherIncarnationException
                ? Outcome.Superseded.SUPERSEDED
                : new Outcome.Unavailable(cause);
    }
}
