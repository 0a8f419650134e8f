package dev.envelope.idempotency.store;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.table.TableRow;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts in memory what processes died of; it can be away.
 *
 * <p>Threads: one thread.
 */
public final class InMemoryCrashStore implements CrashStore {

    /** By offset; there is one source. */
    public final Map<Long, Integer> times = new TreeMap<>();

    public boolean isAway;
    public boolean losesReply; // the next one
    public int reads;

    @Override
    public List<Suspect> suspects() {
        requireThere();
        reads++;
        return times.entrySet().stream()
                .map(it -> new Suspect(1, it.getKey(), it.getValue()))
                .toList();
    }

    @Override
    public void count(Collection<Message> messages) {
        requireThere();
        messages.forEach(message -> times.merge(TableRow.placeOf(message), 1, Integer::sum));
    }

    @Override
    public void countUpTo(Message message, int count) {
        requireThere();
        times.merge(TableRow.placeOf(message), count, Math::max);
        if (losesReply) {
            losesReply = false;
            throw new UnavailableException("the reply is lost");
        }
    }

    @Override
    public void forget(Message message) {
        requireThere();
        times.remove(TableRow.placeOf(message));
    }

    private void requireThere() {
        if (isAway || Thread.currentThread().isInterrupted()) {
            throw new UnavailableException("away");
        }
    }
}
