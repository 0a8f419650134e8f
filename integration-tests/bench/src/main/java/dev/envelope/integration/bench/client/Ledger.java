package dev.envelope.integration.bench.client;

/**
 * An account: the state that a handler of ours keeps.
 *
 * <p>Threads: immutable.
 *
 * @param last the sequence of the last booking
 * @param hash of the sequences of all bookings in their order
 */
public record Ledger(long balance, long count, long last, long hash) {

    /** The hash is taken modulo this prime, so that a database can work it out as well. */
    public static final long PRIME = 1_000_000_007;

    /** What the hash is multiplied with before the next booking is added. */
    public static final long FACTOR = 31;

    static final Ledger EMPTY = new Ledger(0, 0, 0, 0);

    Ledger plus(Event event) {
        return new Ledger(
                balance + event.amount(),
                count + 1,
                event.sequence(),
                next(hash, event.sequence()));
    }

    /** The hash with one more booking. */
    public static long next(long hash, long sequence) {
        return (hash * FACTOR + sequence) % PRIME;
    }
}
