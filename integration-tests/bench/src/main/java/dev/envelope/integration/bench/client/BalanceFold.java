package dev.envelope.integration.bench.client;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import org.jspecify.annotations.Nullable;

/**
 * What a user of the library would write for this task.
 *
 * <p>Threads: immutable.
 */
final class BalanceFold implements Fold<Balance, Booking> {

    private final int blockMillis;

    /**
     * @param blockMillis how long it waits for something else at each message
     */
    BalanceFold(int blockMillis) {
        this.blockMillis = blockMillis;
    }

    @Override
    public @Nullable Balance apply(
            @Nullable Balance state, @Nullable Booking booking, Message message) {
        if (booking == null) {
            return null;
        }
        Blocking.forMillis(blockMillis);
        return (state == null ? Balance.EMPTY : state).plus(booking);
    }
}
