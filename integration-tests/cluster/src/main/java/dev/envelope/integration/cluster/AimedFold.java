package dev.envelope.integration.cluster;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import org.jspecify.annotations.Nullable;

/**
 * A fold during which the process may end.
 *
 * <p>Threads: thread-safe (its parts are).
 */
record AimedFold<S, M>(Fold<S, M> fold, Trigger trigger) implements Fold<S, M> {

    @Override
    public @Nullable S apply(@Nullable S state, @Nullable M value, Message message)
            throws Exception {
        S next = fold.apply(state, value, message);
        trigger.at(Aim.MID_FOLD);
        return next;
    }
}
