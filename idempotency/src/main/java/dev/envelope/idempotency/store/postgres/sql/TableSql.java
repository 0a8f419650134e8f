package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.store.table.TableSettings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * SQL for a user's table whose rows are messages.
 *
 * <p>Threads: thread-safe (a volatile reference to what was found of the table).
 */
public final class TableSql {

    /**
     * A row that is done, and the key of the change that it belongs to.
     *
     * @param owner null for a message that can't have a row
     */
    public record Owned(@Nullable String owner, String id) {

        /**
         * Whether it belongs to a change that was saved.
         *
         * @param saved the keys of those; null if all were
         */
        public boolean isOf(@Nullable Set<String> saved) {
            return owner != null && (saved == null || saved.contains(owner));
        }
    }

    /**
     * What was found of the table.
     *
     * @param doneIsFlag whether the column of what is done is a boolean, not a time
     * @param number the whole number by which rows are divided; empty if there is none
     */
    public record Shape(String keyType, String idType, boolean doneIsFlag, String number) {

        /** Whether rows can be divided among slots. */
        public boolean isDivisible() {
            return !number.isEmpty();
        }
    }

    /** How many rows of saved changes the part {@code taken} has done. */
    public static final String DONE = "(SELECT count(owner) FROM taken)";

    private final TableSettings settings;
    private final String table;
    private volatile @Nullable Shape shape;

    public TableSql(TableSettings settings) {
        this.settings = settings;
        int dot = settings.table().indexOf('.');
        this.table =
                quoted(settings.table().substring(0, dot))
                        + "."
                        + quoted(settings.table().substring(dot + 1));
    }

    public TableSettings settings() {
        return settings;
    }

    /** The table's name, quoted. */
    public String table() {
        return table;
    }

    /** Sets what was found; nothing is read or saved before. */
    public void found(Shape present) {
        shape = present;
    }

    /** Whether it is known. */
    public boolean isFound() {
        return shape != null;
    }

    /** Whether rows can be divided among slots. */
    public boolean isDivisible() {
        return shape().isDivisible();
    }

    private Shape shape() {
        Shape present = shape;
        if (present == null) {
            throw new InvariantViolation("a row of a table that was not looked at");
        }
        return present;
    }

    /** A column as SQL. */
    public static String column(String name) {
        return "t." + quoted(name);
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** The condition for a row that is a message and not done. */
    private String waits() {
        List<String> all = new ArrayList<>();
        if (settings.where() != null) {
            all.add("(" + settings.where() + ")");
        }
        if (settings.done() != null) {
            all.add(column(settings.done()) + (shape().doneIsFlag() ? " IS NOT TRUE" : " IS NULL"));
        }
        return all.isEmpty() ? "true" : String.join(" AND ", all);
    }

    private String rowsOf(int slot, int slots) throws SQLException {
        String all = " FROM " + table + " AS t WHERE " + waits();
        if (slots == 1) {
            return all;
        }
        if (!shape().isDivisible()) {
            throw new RefusedSqlException(indivisible());
        }
        // A remainder has the sign of the number.
        return all
                + " AND mod(mod(%1$s, %2$d) + %2$d, %2$d) = %3$d"
                        .formatted(shape().number(), slots, slot);
    }

    /** Why rows can't be divided. */
    public String indivisible() {
        return ("this server has no crc32 (Postgres 18 has), so that it can't divide rows by %s: give"
                        + " the table a column with a whole number for each key and name it with"
                        + " table.slot, or set slots=1")
                .formatted(settings.key());
    }

    /**
     * Reads a page: key, id, value, milliseconds. The values are, if it is not the first page, key
     * and id of the last row before; then the number of rows.
     */
    public String page(int slot, int slots, boolean isFirst) throws SQLException {
        Shape present = shape();
        String key = column(settings.key());
        String id = column(settings.id());
        String time =
                settings.time() == null ? "pg_catalog.now()" : finite(column(settings.time()));
        return "SELECT %s::text, %s::text, %s, (extract(epoch FROM %s) * 1000)::bigint"
                        .formatted(key, id, value(), time)
                + rowsOf(slot, slots)
                + (isFirst
                        ? ""
                        : " AND (%s, %s) > (?::text::%s, ?::text::%s)"
                                .formatted(key, id, present.keyType(), present.idType()))
                + " ORDER BY %s, %s LIMIT ?".formatted(key, id);
    }

    /** Without a time, and before or behind all time, it is now. */
    private static String finite(String time) {
        return "CASE WHEN pg_catalog.isfinite(%1$s) THEN %1$s ELSE pg_catalog.now() END"
                .formatted(time);
    }

    private String value() {
        return settings.value() == null ? "pg_catalog.row_to_json(t.*)" : column(settings.value());
    }

    /** Counts the rows of a slot; the value is the limit. */
    public String count(int slot, int slots) throws SQLException {
        return "SELECT count(*) FROM (SELECT" + rowsOf(slot, slots) + " LIMIT ?) AS c";
    }

    /** Of the ids in an array those whose rows are not done, each beside the server's start. */
    public String waiting() {
        return "SELECT g.start, w.envelope_row FROM (SELECT "
                + ServerLife.START_MICROS
                + " AS start) AS g LEFT JOIN (SELECT m.envelope_row FROM"
                + " unnest(?::text[]) AS m(envelope_row) JOIN "
                + table
                + " AS t ON "
                + isNamed()
                + " WHERE "
                + waits()
                + ") AS w ON true";
    }

    private String isNamed() {
        return "%s = m.envelope_row::%s".formatted(column(settings.id()), shape().idType());
    }

    /**
     * The part {@code taken} of the statement that saves a batch: rows of changes that were saved,
     * and of messages that can't have a state, are done, and those that were not done before are
     * returned.
     *
     * @param saved the name of a CTE with the keys that were saved
     */
    public String part(String saved) {
        String those =
                "(SELECT m.owner, m.envelope_row FROM unnest(?::text[], ?::text[])"
                        + " AS m(owner, envelope_row)"
                        + " WHERE m.owner IS NULL OR m.owner IN (SELECT key FROM "
                        + saved
                        + ")) AS m WHERE "
                        + isNamed()
                        + " AND "
                        + waits()
                        + " AND "
                        + ServerLife.START_MICROS
                        + " = ? RETURNING m.owner, m.envelope_row)";
        return settings.done() == null
                ? "taken AS (DELETE FROM " + table + " AS t USING " + those
                : "taken AS (UPDATE %s AS t SET %s = %s FROM %s"
                        .formatted(
                                table,
                                quoted(settings.done()),
                                shape().doneIsFlag() ? "true" : "pg_catalog.now()",
                                those);
    }

    /** Its values. */
    public static List<@Nullable Object> values(List<Owned> rows, ServerLife life)
            throws SQLException {
        return new ArrayList<>(
                Arrays.asList(
                        BinaryArray.ofTexts(rows, Owned::owner),
                        BinaryArray.ofTexts(rows, Owned::id),
                        life.startMicros()));
    }

    /**
     * Makes sure that all rows were done whose changes were saved; the transaction is not committed
     * yet.
     *
     * @throws StoreException.RowFault if a trigger or a policy keeps one: it would have its effect
     *     again and again
     * @throws UnavailableException if one is gone since it was looked for, which the next try sees
     */
    public void requireDone(Statements statements, List<Owned> wanted, long done)
            throws SQLException {
        if (done == wanted.size()) {
            return;
        }
        int[] kept = {0};
        statements.query(
                waiting().replace("%", "%%"), // as it is
                row -> kept[0] += row.getString(2) == null ? 0 : 1,
                BinaryArray.ofTexts(wanted, Owned::id));
        if (kept[0] > 0) {
            throw new StoreException.RowFault(
                    "of %d rows of %s %d can't be done: a trigger or a policy of row security keeps them"
                            .formatted(wanted.size(), table, kept[0]));
        }
        throw new UnavailableException(
                "of %d rows of %s only %d are still there: the others were deleted or done meanwhile"
                        .formatted(wanted.size(), table, done));
    }
}
