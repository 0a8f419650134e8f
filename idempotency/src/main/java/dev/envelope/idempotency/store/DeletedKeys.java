package dev.envelope.idempotency.store;

import dev.envelope.core.api.UnavailableException;

/**
 * Purges rows of keys that were deleted long ago.
 *
 * <p>Threads: one thread at a time.
 */
@FunctionalInterface
public interface DeletedKeys {

    /**
     * Examines a slice of the table and deletes the rows that are not needed any more.
     *
     * @throws UnavailableException if the database could not serve; try again later
     */
    Purged purgeSome();
}
