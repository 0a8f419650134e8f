package dev.envelope.idempotency.store;

/**
 * How many connections of a pool are open and in use, and how many callers wait for one.
 *
 * @param name of the pool: lanes, alone, background, outputs; behind the place's, if there are
 *     several
 * @param most its maximum size
 */
public record PoolUse(String name, int open, int active, int waiting, int most) {

    /** The same of a place. */
    public PoolUse at(String place) {
        return new PoolUse(place + " " + name, open, active, waiting, most);
    }
}
