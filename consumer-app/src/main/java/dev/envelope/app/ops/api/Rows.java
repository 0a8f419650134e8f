package dev.envelope.app.ops.api;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.postgres.KeyCatalog;
import dev.envelope.idempotency.store.postgres.ParkedCatalog;
import dev.envelope.idempotency.store.postgres.PostgresSettings;
import dev.envelope.idempotency.store.postgres.RequestCatalog;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What the API reads of the database, each time on a connection of its own that ends with the
 * answer: the engine's own are never waited for, and never made to wait. Few callers at a time.
 *
 * <p>Threads: thread-safe (a semaphore).
 */
public final class Rows {

    private static final int MOST_AT_A_TIME = 2;
    private static final long PATIENCE_MILLIS = 2_000;

    private final PostgresSettings settings;
    private final Semaphore places = new Semaphore(MOST_AT_A_TIME);

    /** Rows of this database. */
    public Rows(PostgresSettings settings) {
        this.settings = settings;
    }

    /**
     * Looks at rows of keys.
     *
     * @throws UnavailableException if the database can't be used, or others are before us
     */
    <T> T ofKeys(Function<KeyCatalog, T> look) {
        return inPlace(
                () -> {
                    try (KeyCatalog catalog = KeyCatalog.open(settings)) {
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
        return inPlace(
                () -> {
                    try (ParkedCatalog catalog = ParkedCatalog.open(settings)) {
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
                    try (RequestCatalog catalog = RequestCatalog.open(settings)) {
                        return work.apply(catalog);
                    }
                });
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
}
