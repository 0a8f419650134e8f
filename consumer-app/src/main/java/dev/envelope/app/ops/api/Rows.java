package dev.envelope.app.ops.api;

import dev.envelope.app.ops.RateLimit;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.operator.Catalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The API's access to the database, on connections of its own, so that API and engine never wait
 * for each other's. It is limited to few calls at a time, and few per second.
 *
 * <p>Every call throws {@link UnavailableException} if the database can't be used, or the limit is
 * reached.
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

    /** Reads something, within the limit per second. */
    <C extends Catalog, T> T look(Function<OperatorStore, C> at, Function<C, T> look) {
        if (!rate.admits()) {
            throw new UnavailableException("too many callers are using the database: try again");
        }
        return ask(at, look);
    }

    /** Writes a request, or reads its answer. */
    <C extends Catalog, T> T ask(Function<OperatorStore, C> of, Function<C, T> work) {
        boolean hasPlace = false;
        try {
            hasPlace = places.tryAcquire(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            if (!hasPlace) {
                throw new UnavailableException(
                        "too many callers are using the database: try again");
            }
            try (C catalog = of.apply(store)) {
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
