package dev.envelope.integration.bench.client;

/**
 * What the bookings of an account add up to: the state that a handler of ours keeps.
 *
 * <p>Threads: immutable.
 *
 * @param last the sequence of the last booking
 * @param hash of the sequences of all bookings in their order
 */
public record Balance(long balance, long count, long last, long hash) {

    /** The hash is taken modulo this prime, so that a database can work it out as well. */
    public static final long PRIME = 1_000_000_007;

    /** What the hash is multiplied with before the next booking is added. */
    public static final long FACTOR = 31;

    static final Balance EMPTY = new Balance(0, 0, 0, 0);

    Balance plus(Booking booking) {
        return new Balance(
                balance + booking.amount(),
                count + 1,
                booking.sequence(),
                next(hash, booking.sequence()));
    }

    /** The hash with one more booking. */
    public static long next(long hash, long sequence) {
        return (hash * FACTOR + sequence) % PRIME;
    }
}
