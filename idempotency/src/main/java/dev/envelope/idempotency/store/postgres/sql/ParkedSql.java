package dev.envelope.idempotency.store.postgres.sql;

/**
 * SQL for the table {@code parked}: reads whole messages in order, limited in bytes, and keeps the
 * tally of them.
 */
public final class ParkedSql {

    /**
     * The most bytes at a time, if more than one message; in memory they take several times as
     * much.
     */
    static final int MOST_BYTES = 4 << 20;

    /**
     * A part of a statement, after a CTE {@code gone} of the deleted messages: source, key and
     * position.
     */
    public static final String TALLY_OF_GONE =
            tally("gone", "-", " AND p.position NOT IN (SELECT position FROM gone)");

    /**
     * A part of a statement, after a CTE {@code parked} of the inserted messages: source and key.
     */
    public static final String TALLY_OF_PARKED = tally("parked", "", "");

    private ParkedSql() {}

    /**
     * Adds the difference to the tally. A key changes a source's count of keys if the table has
     * none of its other messages of that source. Parking or taking out messages of a key locks its
     * row, so no other transaction does so at the same time.
     */
    private static String tally(String changed, String sign, String besides) {
        return "tallied AS (INSERT INTO %1$s.parked_tally (source, messages, keys)"
                + " SELECT n.source, "
                + sign
                + "sum(n.messages), "
                + sign
                // An index lookup for each key; NOT EXISTS might read the whole table instead.
                + "count(n.row_key) FILTER (WHERE (SELECT true FROM %1$s.parked AS p"
                + " WHERE p.row_key = n.row_key AND p.source = n.source"
                + besides
                + " LIMIT 1) IS NULL) FROM (SELECT source, row_key, count(*) AS messages FROM "
                + changed
                + " GROUP BY source, row_key) AS n GROUP BY n.source)";
    }

    /**
     * The first of the selected messages, whole; the last parameter is how many. The second
     * condition always includes the very first: only its bytes equal the sum up to it.
     *
     * @param columns of the message {@code p} and its source {@code s}
     * @param which the condition that selects messages
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
     * Whether a message is below its source's checkpoint, and was not written after a truncation.
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
