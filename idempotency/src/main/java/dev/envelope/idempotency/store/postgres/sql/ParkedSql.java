package dev.envelope.idempotency.store.postgres.sql;

/**
 * How whole messages are read from {@code parked}, in their order, of large ones fewer at a time;
 * and how it is kept in mind how many there are.
 */
public final class ParkedSql {

    /** What comes at once, if it is more than one; in memory it takes up several times that. */
    static final int MOST_BYTES = 4 << 20;

    /** Part of a statement that has taken out {@code gone}: source, key and position. */
    public static final String TALLY_OF_GONE =
            tally("gone", "-", " AND p.position NOT IN (SELECT position FROM gone)");

    /** Part of a statement that has recorded {@code parked}: source and key. */
    public static final String TALLY_OF_PARKED = tally("parked", "", "");

    private ParkedSql() {}

    /**
     * A key counts, of a source, if the table has none of its messages besides. Whoever parks or
     * takes out messages of a key holds its row, so nobody else does at that moment.
     */
    private static String tally(String changed, String sign, String besides) {
        return "tallied AS (INSERT INTO %1$s.parked_tally (source, messages, keys)"
                + " SELECT n.source, "
                + sign
                + "sum(n.messages), "
                + sign
                // A look at the index for each key: NOT EXISTS may read the whole table instead.
                + "count(n.row_key) FILTER (WHERE (SELECT true FROM %1$s.parked AS p"
                + " WHERE p.row_key = n.row_key AND p.source = n.source"
                + besides
                + " LIMIT 1) IS NULL) FROM (SELECT source, row_key, count(*) AS messages FROM "
                + changed
                + " GROUP BY source, row_key) AS n GROUP BY n.source)";
    }

    /**
     * The first of some messages, whole; the number of them is the last parameter. Only the first
     * of all has no more bytes than all up to it.
     *
     * @param columns of the message, {@code p}, and of its source, {@code s}
     * @param which of all messages
     */
    public static String first(String columns, String which) {
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

    /**
     * Whether that message is below its source's checkpoint, and not written later behind a cut.
     */
    public static String isPassed(String message) {
        return "EXISTS (SELECT FROM %1$s.checkpoint AS c WHERE c.source = "
                + message
                + ".source AND c.next_offset > "
                + message
                + ".record_offset AND (c.leader_epoch < 0 OR c.leader_epoch >= "
                + message
                + ".leader_epoch))";
    }
}
