package dev.envelope.idempotency.store;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The rows of deleted keys of a database in memory, as one process sees them.
 *
 * <p>Threads: guarded by the database.
 */
public final class InMemoryDeletedKeys implements DeletedKeys {

    private final InMemoryDatabase database;
    private final Duration retention;
    private final LongSupplier nanoTime;
    private final Predicate<String> isInUse;

    /**
     * @param nanoTime the clock of the database
     * @param isInUse tells of a key whether its row is left for another time: it is locked, or
     *     somebody stands still with messages of it in his hands, for whom no retention would be
     *     long enough
     */
    public InMemoryDeletedKeys(
            InMemoryDatabase database,
            Duration retention,
            LongSupplier nanoTime,
            Predicate<String> isInUse) {
        this.database = database;
        this.retention = retention;
        this.nanoTime = nanoTime;
        this.isInUse = isInUse;
    }

    /** Looks at all of them. */
    @Override
    public Purged purgeSome() {
        long before = nanoTime.getAsLong() - retention.toNanos();
        return new Purged(database.purge(before, isInUse), false);
    }
}
