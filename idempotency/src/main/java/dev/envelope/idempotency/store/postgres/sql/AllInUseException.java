package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.PoolUse;

/** The database may be well: all connections of a pool were in use for as long as one waits. */
public final class AllInUseException extends UnavailableException {

    private static final long serialVersionUID = 1L;

    AllInUseException(PoolUse pool, Throwable cause) {
        super(
                "none of the %d connections (%s) was free in time"
                        .formatted(pool.most(), pool.name()),
                cause);
    }
}
