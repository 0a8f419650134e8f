package dev.envelope.integration.bench.client;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import org.jspecify.annotations.Nullable;

/**
 * What a user of the library would write for this task.
 *
 * <p>Threads: immutable.
 */
final class LedgerHandler implements Fold<Ledger, Event> {

    private final int blockMillis;

    /**
     * @param blockMillis how long it waits for something else at each message
     */
    LedgerHandler(int blockMillis) {
        this.blockMillis = blockMillis;
    }

    @Override
    public @Nullable Ledger apply(@Nullable Ledger state, @Nullable Event event, Message message) {
        if (event == null) {
            return null;
        }
        Blocking.forMillis(blockMillis);
        return (state == null ? Ledger.EMPTY : state).plus(event);
    }
}
