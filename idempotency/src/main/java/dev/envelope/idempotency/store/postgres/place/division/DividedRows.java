package dev.envelope.idempotency.store.postgres.place.division;

import dev.envelope.idempotency.store.pin.PinsOfSlots;
import dev.envelope.idempotency.store.postgres.place.SlotSchemas;
import dev.envelope.idempotency.store.postgres.place.SlotSite;
import dev.envelope.idempotency.store.postgres.place.TableCopies;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyIn;

/**
 * The rows of the slots at one place, while their schemas have working names.
 *
 * @param connection in a transaction
 * @param count of all slots
 */
record DividedRows(SlotSite site, Connection connection, NavigableSet<Integer> slots, int count) {

    /** In the working table: the xmin of the row of which this is a copy. */
    static final String COPY_OF = "copy_of";

    private static final String WORKING = "_dividing";

    private static final String COUNT_PARKED =
            "INSERT INTO %1$s.parked_tally (source, messages, keys) SELECT source, count(*),"
                    + " count(DISTINCT row_key) FROM %1$s.parked GROUP BY source";

    private static final String PIN =
            "INSERT INTO %1$s.pin (name, value, pinned_by) VALUES (?, ?, ?)";

    private static final String LIMITS =
            "UPDATE %1$s.application SET null_key_spread = ?,"
                    + " min_program = greatest(min_program, ?)";

    /** What says that a source feeds a slot: see PostgresSourceCopies. */
    private static final String FEEDS =
            "INSERT INTO %1$s.checkpoint (source, slot, next_offset, leader_epoch)"
                    + " SELECT s.number, n, 0, -1 FROM %1$s.source AS s, generate_series(1, ?) AS n";

    /**
     * Tells one version of a row from another. A server that went back may give an xmin again, but
     * not at the same time.
     */
    record Print(long xmin, long version, double at) {

        static String query(String quotedSchema, String xmin, String where) {
            return "SELECT key, %s, version, date_part('epoch', updated_at) FROM %s.state%s"
                    .formatted(xmin, quotedSchema, where.replace("%", "%%"));
        }

        static Print of(ResultSet row) throws SQLException {
            return new Print(row.getLong(2), row.getLong(3), row.getDouble(4));
        }
    }

    /**
     * Keys one after the other in the order of the table {@code state}.
     *
     * @param after the last one before; null for those from the first on
     * @param upTo the last one; null for those up to the last
     */
    record Range(@Nullable String after, @Nullable String upTo) {

        /** The condition, for statements that take no values. */
        String where() {
            List<String> conditions = new ArrayList<>();
            if (after != null) {
                conditions.add("key > " + literal(after));
            }
            if (upTo != null) {
                conditions.add("key <= " + literal(upTo));
            }
            return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
        }

        /** The condition for some keys. */
        static String where(Collection<String> keys) {
            return keys.stream()
                    .map(Range::literal)
                    .collect(Collectors.joining(", ", " WHERE key IN (", ")"));
        }

        private static String literal(String key) {
            return "'" + key.replace("'", "''") + "'";
        }
    }

    /** The name of a slot's schema until it is filled. */
    static String working(String schema, int slot) {
        return SlotSchemas.of(schema, slot) + WORKING;
    }

    private String of(int slot) {
        return TableCopies.quoted(working(slot));
    }

    private String working(int slot) {
        return working(site.settings().schema(), slot);
    }

    private Statements statements(String quotedSchema) {
        return new Statements(connection, quotedSchema);
    }

    private void execute(String sql) throws SQLException {
        TableCopies.execute(connection, sql);
    }

    /** The copies of a range of keys. */
    void copies(Range range, Map<String, Print> found) throws SQLException {
        statements("")
                .query(
                        slots.stream()
                                .map(it -> Print.query(of(it), COPY_OF, range.where()))
                                .collect(Collectors.joining(" UNION ALL ")),
                        row -> found.put(row.getString(1), Print.of(row)));
    }

    /** Deletes the copies of a range of keys. */
    void delete(Range range) throws SQLException {
        for (int slot : slots) {
            execute("DELETE FROM " + of(slot) + ".state" + range.where());
        }
    }

    /** Deletes the copies of these keys. */
    void delete(int slot, List<String> keys) throws SQLException {
        statements(of(slot))
                .update(
                        "DELETE FROM %1$s.state WHERE key = ANY (?::text[])",
                        BinaryArray.ofTexts(keys, it -> it));
    }

    /** Empties the tables that are copied as a whole, in all slots. */
    void empty() throws SQLException {
        for (int slot : slots) {
            for (int i = DividedTable.ALL.size() - 1; i >= 0; i--) {
                DividedTable each = DividedTable.ALL.get(i);
                if (DividedTable.copied().contains(each) || each.name().equals("parked_tally")) {
                    execute("DELETE FROM %s.%s".formatted(of(slot), each.name()));
                }
            }
        }
    }

    /**
     * Writes rows.
     *
     * @param rows in the binary format of COPY
     */
    void write(int slot, String table, String columns, byte[] rows) throws SQLException {
        CopyIn in =
                TableCopies.copyManager(connection)
                        .copyIn(
                                "COPY %s.%s (%s) FROM STDIN (FORMAT binary)"
                                        .formatted(of(slot), table, columns));
        try {
            in.writeToCopy(rows, 0, rows.length);
            in.endCopy();
        } finally {
            if (in.isActive()) {
                in.cancelCopy();
            }
        }
    }

    /** Writes what is not copied from a table, and has sequences go on. */
    void complete(Connection from, String fromSchema, @Nullable Object spread, int minProgram)
            throws SQLException {
        for (int slot : slots) {
            Statements its = statements(of(slot));
            its.update(COUNT_PARKED);
            its.update(LIMITS, spread, minProgram);
            String by = site.settings().instance();
            its.update(
                    "DELETE FROM %1$s.pin WHERE name IN (?, ?)",
                    PinsOfSlots.COUNT, PinsOfSlots.NUMBER);
            its.update(PIN, PinsOfSlots.COUNT, Integer.toString(count), by);
            its.update(PIN, PinsOfSlots.NUMBER, Integer.toString(slot), by);
            if (slot == 0) {
                its.update(FEEDS, count);
            }
            new TableCopies(from, fromSchema, connection, working(slot)).goOn();
        }
    }

    /** How many rows of a table all slots have that are here. */
    long count(String table) throws SQLException {
        long rows = 0;
        for (int slot : slots) {
            rows += TableCopies.count(connection, of(slot) + "." + table);
        }
        return rows;
    }
}
