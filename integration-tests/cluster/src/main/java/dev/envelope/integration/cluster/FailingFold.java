package dev.envelope.integration.cluster;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.integration.cluster.Beat.Count;
import org.jspecify.annotations.Nullable;

/**
 * A fold that fails for some of the keys as long as the beat says so, as a handler does whose other
 * system is away.
 *
 * <p>Threads: thread-safe (its parts are).
 */
record FailingFold<S, M>(Fold<S, M> fold, Beat beat) implements Fold<S, M> {

    private static final int ONE_KEY_IN = 4;

    @Override
    public @Nullable S apply(@Nullable S state, @Nullable M value, Message message)
            throws Exception {
        S next = fold.apply(state, value, message);
        if (beat.get(Count.FAILING) == 1 && message.key().hashCode() % ONE_KEY_IN == 0) {
            throw new IllegalStateException("told to fail for a while");
        }
        return next;
    }
}
