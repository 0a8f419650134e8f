package dev.envelope.core.key;

import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * What becomes of a record without a key.
 *
 * <p>Threads: immutable.
 */
public sealed interface NullKeys {

    /** It can't have a row: it is parked, alone. */
    record Reject() implements NullKeys {}

    /** All of a partition are one row, in the partition's order. */
    record Partition() implements NullKeys {}

    /**
     * They are spread over this many rows, by partition and offset alone. A record that is read
     * again must come to the same row, so the number must never change: record it at the first
     * start, and refuse another ({@code Pins} does it in Postgres).
     */
    record Spread(int rows) implements NullKeys {

        public Spread {
            if (rows < 1) {
                throw new IllegalArgumentException("at least one row is needed, not " + rows);
            }
        }
    }

    /** Calls the function of this case. */
    default <R> R match(Supplier<R> reject, Supplier<R> partition, IntFunction<R> spread) {
        if (this instanceof Spread it) {
            return spread.apply(it.rows());
        }
        return this instanceof Partition ? partition.get() : reject.get();
    }
}
