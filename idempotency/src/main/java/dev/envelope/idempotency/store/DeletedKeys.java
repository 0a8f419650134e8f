package dev.envelope.idempotency.store;

import dev.envelope.core.api.UnavailableException;

/**
 * Rows of keys that were deleted long ago.
 *
 * <p>Threads: one thread at a time.
 */
@FunctionalInterface
public interface DeletedKeys {

    /**
     * Looks at some of the rows, and takes away those that nobody needs any more.
     *
     * @throws UnavailableException if the database could not serve; try again later
     */
    Purged purgeSome();
}
