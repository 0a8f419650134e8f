package dev.envelope.idempotency.store.postgres;

/**
 * How whole messages are read from {@code parked}: in their order, of large ones fewer at a time.
 *
 * <p>Threads: stateless.
 */
final class ParkedSql {

    /** What comes at once, if it is more than one; in memory it takes up several times that. */
    static final int MOST_BYTES = 4 << 20;

    private ParkedSql() {}

    /**
     * The first of some messages, whole; the number of them is the last parameter. Only the first
     * of all has no more bytes than all up to it.
     *
     * @param columns of the message, {@code p}, and of its source, {@code s}
     * @param which of all messages
     */
    static String first(String columns, String which) {
        return "SELECT "
                + columns
                + " FROM (SELECT *, sum(bytes) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING)"
                + " AS bytes_up_to_it FROM (SELECT *, coalesce(octet_length(key), 0)"
                + " + coalesce(octet_length(value), 0) + octet_length(headers::text) AS bytes"
                + " FROM %1$s.parked WHERE "
                + which
                + " ORDER BY position LIMIT ?) AS f) AS p"
                + " JOIN %1$s.source AS s ON s.number = p.source WHERE p.bytes_up_to_it <= "
                + MOST_BYTES
                + " OR p.bytes_up_to_it = p.bytes ORDER BY p.position";
    }
}
