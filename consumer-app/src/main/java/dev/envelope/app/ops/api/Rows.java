package dev.envelope.app.ops.api;

import dev.envelope.app.ops.RateLimit;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Pauses;
import dev.envelope.idempotency.store.operator.Catalog;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.operator.LockCatalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.PauseCatalog;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What the API reads of the database, on connections of its own: the engine's are never waited for,
 * and never made to wait. Few callers at a time, and few a second.
 *
 * <p>Each of them throws {@link UnavailableException} if the database can't be used, or others are
 * before us.
 *
 * <p>Threads: thread-safe (a semaphore, a rate with its own lock).
 */
public final class Rows implements AutoCloseable {

    private static final int MOST_AT_A_TIME = 2;

    private static final int MOST_A_SECOND = 10;

    private static final long PATIENCE_MILLIS = 2_000;

    private final OperatorStore store;
    private final Semaphore places = new Semaphore(MOST_AT_A_TIME);
    private final RateLimit rate = new RateLimit(MOST_A_SECOND, System::nanoTime);

    public Rows(OperatorStore store) {
        this.store = store;
    }

    /** Looks at rows of keys. */
    <T> T ofKeys(Function<KeyCatalog, T> look) {
        return amongFew(store::keys, look);
    }

    /** Looks who holds locks. */
    <T> T ofLocks(Function<LockCatalog, T> look) {
        return amongFew(store::locks, look);
    }

    /** Looks at parked messages. */
    <T> T ofParked(Function<ParkedCatalog, T> look) {
        return amongFew(store::parked, look);
    }

    /** Asks for something to be done, or for what became of it. */
    <T> T ofRequests(Function<RequestCatalog, T> work) {
        return inPlace(store::requests, work);
    }

    /** Looks at what is held back. */
    Pauses pauses() {
        return amongFew(store::pauses, PauseCatalog::all);
    }

    /** Holds something back, or lets it go on. */
    <T> T ofPauses(Function<PauseCatalog, T> work) {
        return inPlace(store::pauses, work);
    }

    /**
     * Deletes parked messages that can't have a row.
     *
     * @return the positions of those that were there
     */
    List<Long> deleteWithoutRow(List<Long> positions, String by) {
        return inPlace(store::parked, catalog -> catalog.deleteWithoutRow(positions, by));
    }

    /** Those who look are bounded a second as well; who asks for something to be done is not. */
    private <C extends Catalog, T> T amongFew(Supplier<C> open, Function<C, T> look) {
        if (!rate.admits()) {
            throw new UnavailableException("others are asking the database: try again");
        }
        return inPlace(open, look);
    }

    private <C extends Catalog, T> T inPlace(Supplier<C> open, Function<C, T> work) {
        boolean hasPlace = false;
        try {
            hasPlace = places.tryAcquire(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            if (!hasPlace) {
                throw new UnavailableException("others are asking the database: try again");
            }
            try (C catalog = open.get()) {
                return work.apply(catalog);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted", e);
        } finally {
            if (hasPlace) {
                places.release();
            }
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
