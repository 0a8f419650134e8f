package dev.envelope.app.ops.api;

import dev.envelope.app.ops.RateLimit;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.operator.Catalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

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

    /** Looks at something: no more often a second than is good for the database. */
    <C extends Catalog, T> T look(Function<OperatorStore, C> at, Function<C, T> look) {
        if (!rate.admits()) {
            throw new UnavailableException("others are asking the database: try again");
        }
        return ask(at, look);
    }

    /** Asks for something to be done, or for what became of it. */
    <C extends Catalog, T> T ask(Function<OperatorStore, C> of, Function<C, T> work) {
        boolean hasPlace = false;
        try {
            hasPlace = places.tryAcquire(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            if (!hasPlace) {
                throw new UnavailableException("others are asking the database: try again");
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
