package dev.envelope.idempotency.store;

import dev.envelope.core.api.NextOffset;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/**
 * Copies of sources in a database in memory, which is one slot.
 *
 * <p>Threads: thread-safe (the database is).
 */
public final class InMemorySourceCopies implements SourceCopies {

    private final InMemoryDatabase database;

    public InMemorySourceCopies(InMemoryDatabase database) {
        this.database = database;
    }

    @Override
    public Map<Integer, SortedSet<Integer>> fed() {
        return database.fed();
    }

    @Override
    public void feeds(int source, int slot) {
        database.feeds(source, slot);
    }

    @Override
    public List<Copy> all() {
        return database.copies();
    }

    @Override
    public void copy(Copy source, NextOffset checkpoint) {
        if (!database.take(source, checkpoint)) {
            throw new RefusedException(
                    "there is another source than "
                            + source.partition()
                            + " under the number "
                            + source.number());
        }
    }

    @Override
    public void giveNoNumberUpTo(int number) {
        database.giveNoNumberUpTo(number);
    }
}
