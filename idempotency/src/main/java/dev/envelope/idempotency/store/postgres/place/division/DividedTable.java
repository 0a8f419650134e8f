package dev.envelope.idempotency.store.postgres.place.division;

import java.util.List;

/**
 * What becomes of a table when rows are divided that were not.
 *
 * @param key an expression for the key whose slot a row goes to
 * @param partition an expression for the partition whose slot it goes to if that is null; if both
 *     are, it goes to the first slot
 * @param where which rows are copied
 */
record DividedTable(String name, Way way, String key, String partition, String where) {

    private static final String OF_SOURCE =
            "(SELECT s.partition FROM %1$s.source AS s WHERE s.number = t.source)";

    /** Requests about a key; others, and pauses, are the first slot's. */
    private static final String KEY_OF_REQUEST =
            "CASE WHEN t.action IN ('redrive', 'skip', 'skip failing', 'drop', 'quarantine', 'set',"
                    + " 'delete', 'edit') THEN t.row_key END";

    /** Where the rows of a table go. */
    enum Way {
        /** Each to its slot. */
        ROUTED,
        /** Each to all slots. */
        TO_ALL,
        /** Nowhere: it must have none. */
        EMPTY,
        /** Nowhere: the migrations, or the next start, make what is needed. */
        LEFT,
        /** It is written by what the others have. */
        MADE
    }

    /** All tables. Those that others refer to come first. */
    static final List<DividedTable> ALL =
            List.of(
                    // by key, in batches: see RowsCopy
                    new DividedTable("state", Way.MADE, "", "", ""),
                    // marks, and all else, name a source by the same number everywhere
                    toAll("source", "true"),
                    // each slot goes on where all are; those of slots are made for the first one
                    toAll("checkpoint", "t.slot = 0"),
                    // each slot that a source feeds has what was skipped of it
                    toAll("skipped", "true"),
                    // what was pinned holds for each slot; how many there are is added
                    toAll("pin", "true"),
                    // stopped partitions and pauses are the first slot's
                    toHome("stopped"),
                    toHome("paused"),
                    // in the order of their positions; without a row, in the slot of their
                    // partition
                    byKey("parked", "t.row_key", OF_SOURCE),
                    byKey("replacement", "t.row_key", "NULL::int"),
                    byKey("request", KEY_OF_REQUEST, "NULL::int"),
                    byKey("crash", "t.row_key", "NULL::int"),
                    byKey("timer", "t.key", "NULL::int"),
                    byKey("reply", "t.key", "NULL::int"),
                    // messages without a row
                    byKey("dropped", "NULL::text", OF_SOURCE),
                    // counted anew from parked
                    new DividedTable("parked_tally", Way.MADE, "", "", ""),
                    // the id and the version are the program's; two columns are copied
                    new DividedTable("application", Way.MADE, "", "", ""),
                    // an output does not name its key, and later ones in its slot must not overtake
                    // it: they are sent before
                    new DividedTable("output", Way.EMPTY, "", "", ""),
                    new DividedTable("outbox", Way.EMPTY, "", "", ""),
                    // of applications without rows
                    new DividedTable("done", Way.EMPTY, "", "", ""),
                    // of processes, and all of these have ended
                    new DividedTable("instance", Way.LEFT, "", "", ""),
                    new DividedTable("lease", Way.LEFT, "", "", ""),
                    new DividedTable("relay", Way.LEFT, "", "", ""),
                    // the search for rows of deleted keys begins anew
                    new DividedTable("purge", Way.LEFT, "", "", ""));

    private static DividedTable byKey(String name, String key, String partition) {
        return new DividedTable(name, Way.ROUTED, key, partition, "true");
    }

    private static DividedTable toHome(String name) {
        return new DividedTable(name, Way.ROUTED, "NULL::text", "NULL::int", "true");
    }

    private static DividedTable toAll(String name, String where) {
        return new DividedTable(name, Way.TO_ALL, "NULL::text", "NULL::int", where);
    }

    static List<DividedTable> of(Way way) {
        return ALL.stream().filter(it -> it.way == way).toList();
    }

    /** Those whose rows are copied as they are. */
    static List<DividedTable> copied() {
        return ALL.stream().filter(it -> it.way == Way.ROUTED || it.way == Way.TO_ALL).toList();
    }

    /**
     * The query for {@link RoutedRows}.
     *
     * @param columns of the table, in the order in which they are to come
     */
    String query(String quotedSchema, String columns) {
        return ("SELECT "
                                + key
                                + ", "
                                + partition
                                + ", "
                                + columns
                                + " FROM %1$s."
                                + name
                                + " AS t")
                        .formatted(quotedSchema)
                + " WHERE "
                + where;
    }
}
