package dev.envelope.app.ops.api;

import dev.envelope.app.ops.RateLimit;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Pauses;
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

    /**
     * Looks at rows of keys.
     *
     * @throws UnavailableException if the database can't be used, or others are before us
     */
    <T> T ofKeys(Function<KeyCatalog, T> look) {
        return amongFew(
                () -> {
                    try (KeyCatalog catalog = store.keys()) {
                        return look.apply(catalog);
                    }
                });
    }

    /**
     * Looks who holds locks.
     *
     * @throws UnavailableException if the database can't be used, or others are before us
     */
    <T> T ofLocks(Function<LockCatalog, T> look) {
        return amongFew(
                () -> {
                    try (LockCatalog catalog = store.locks()) {
                        return look.apply(catalog);
                    }
                });
    }

    /**
     * Looks at parked messages.
     *
     * @throws UnavailableException if the database can't be used, or others are before us
     */
    <T> T ofParked(Function<ParkedCatalog, T> look) {
        return amongFew(
                () -> {
                    try (ParkedCatalog catalog = store.parked()) {
                        return look.apply(catalog);
                    }
                });
    }

    /**
     * Asks for something to be done, or for what became of it.
     *
     * @throws UnavailableException if the database can't be used, or others are before us
     */
    <T> T ofRequests(Function<RequestCatalog, T> work) {
        return inPlace(
                () -> {
                    try (RequestCatalog catalog = store.requests()) {
                        return work.apply(catalog);
                    }
                });
    }

    /**
     * Looks at what is held back.
     *
     * @throws UnavailableException if the database can't be used, or others are before us
     */
    Pauses pauses() {
        return amongFew(
                () -> {
                    try (PauseCatalog catalog = store.pauses()) {
                        return catalog.all();
                    }
                });
    }

    /**
     * Holds something back, or lets it go on.
     *
     * @throws UnavailableException if the database can't be used, or others are before us
     */
    <T> T ofPauses(Function<PauseCatalog, T> work) {
        return inPlace(
                () -> {
                    try (PauseCatalog catalog = store.pauses()) {
                        return work.apply(catalog);
                    }
                });
    }

    /**
     * Deletes parked messages that can't have a row.
     *
     * @return the positions of those that were there
     * @throws UnavailableException if the database can't be used, or others are before us
     */
    List<Long> deleteWithoutRow(List<Long> positions, String by) {
        return inPlace(
                () -> {
                    try (ParkedCatalog catalog = store.parked()) {
                        return catalog.deleteWithoutRow(positions, by);
                    }
                });
    }

    /** Those who look are bounded a second as well; who asks for something to be done is not. */
    private <T> T amongFew(Supplier<T> look) {
        if (!rate.admits()) {
            throw new UnavailableException("others are asking the database: try again");
        }
        return inPlace(look);
    }

    private <T> T inPlace(Supplier<T> work) {
        boolean hasPlace = false;
        try {
            hasPlace = places.tryAcquire(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            if (!hasPlace) {
                throw new UnavailableException("others are asking the database: try again");
            }
            return work.get();
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
