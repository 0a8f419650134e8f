package dev.envelope.integration.oracle;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The handler under test. It notices on its own when it runs twice at a time for a key.
 *
 * <p>Threads: thread-safe (concurrent sets).
 */
public final class LedgerFold implements Fold<Ledger, Event> {

    private final String instance;
    private final Set<String> inside = ConcurrentHashMap.newKeySet();
    private final Set<String> failedBefore = ConcurrentHashMap.newKeySet();

    /**
     * @param instance the process, as the journal is to name it
     */
    public LedgerFold(String instance) {
        this.instance = instance;
    }

    @Override
    public Ledger apply(@Nullable Ledger state, @Nullable Event event, Message message) {
        Ledger ledger = state == null ? new Ledger() : state;
        String lane = message.key() + '#' + message.epoch().number();
        if (!inside.add(lane)) {
            ledger.note("two folds at a time in " + instance + '#' + message.epoch().number());
        }
        try {
            ledger.begin();
            String id = Event.idOf(message.headers(), message.partition(), message.offset());
            if (event != null && event.flaky() && failedBefore.add(id)) {
                throw new IllegalStateException("fails once, with its state half changed");
            }
            ledger.complete(event, id);
            ledger.recordPlace(
                    message.partition(),
                    message.offset(),
                    instance + '#' + message.epoch().number());
            return ledger;
        } finally {
            inside.remove(lane);
        }
    }
}
