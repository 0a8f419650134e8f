package dev.envelope.idempotency.store.postgres.place.division;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.pin.PinsOfSlots;
import dev.envelope.idempotency.store.postgres.place.SlotSchemas;
import dev.envelope.idempotency.store.postgres.place.SlotSite;
import dev.envelope.idempotency.store.postgres.place.TableCopies;
import dev.envelope.idempotency.store.postgres.place.TransactionLock;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyIn;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A place that gets slots of rows that are divided: one connection, and the schemas of its slots,
 * which have working names until all of them are filled.
 *
 * <p>Each transaction begins with a lock, and with a look whether the schemas are still this
 * divider's: each run writes a token of its own into their comments. So a run that was suspended
 * writes nothing after another has begun, or after the division was taken back.
 *
 * <p>Threads: one thread.
 */
final class DividedPlace implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DividedPlace.class);

    /** In the working table: the xmin of the row of which this is a copy. */
    static final String COPY_OF = "copy_of";

    private static final String WORKING = "_dividing";

    private static final Pattern NOTE =
            Pattern.compile("envelope: slot ([0-9]+) of ([0-9]+), .* \\[(.+)]");

    private static final String COMMENT =
            "SELECT pg_catalog.obj_description(pg_catalog.to_regnamespace(?), 'pg_namespace')";

    private static final String HAS_TABLES = "SELECT pg_catalog.to_regclass(?) IS NOT NULL";

    private static final String FUNCTIONS =
            "SELECT pg_catalog.pg_get_functiondef(oid) FROM pg_catalog.pg_proc"
                    + " WHERE pronamespace = pg_catalog.to_regnamespace(?)";

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

    private final SlotSite site;
    private final NavigableSet<Integer> slots;
    private final int count; // of all slots
    private final Connection connection;
    private final TransactionLock lock;
    private String token = "";

    /** What is written about a working schema. */
    record Note(int slot, int count, String token) {

        static @Nullable Note parse(@Nullable String comment) {
            Matcher text = NOTE.matcher(comment == null ? "" : comment);
            return text.matches()
                    ? new Note(
                            Integer.parseInt(text.group(1)),
                            Integer.parseInt(text.group(2)),
                            text.group(3))
                    : null;
        }
    }

    DividedPlace(SlotSite site, NavigableSet<Integer> slots, int count) throws SQLException {
        this.site = site;
        this.slots = slots;
        this.count = count;
        this.connection = site.open();
        this.lock = TransactionLock.ofFilling(connection, site, slots.first());
    }

    /** The name of a slot's schema until it is filled. */
    static String working(String schema, int slot) {
        return SlotSchemas.of(schema, slot) + WORKING;
    }

    /** That which has a slot. */
    static DividedPlace of(int slot, List<DividedPlace> places) {
        return places.stream().filter(it -> it.slots.contains(slot)).findFirst().orElseThrow();
    }

    SlotSite site() {
        return site;
    }

    Connection connection() {
        return connection;
    }

    NavigableSet<Integer> slots() {
        return slots;
    }

    private PostgresSettings settings(int slot) {
        return site.settings().withSchema(working(site.settings().schema(), slot));
    }

    private String of(int slot) {
        return settings(slot).quotedSchema();
    }

    private String real(int slot) {
        return TableCopies.quoted(SlotSchemas.of(site.settings().schema(), slot));
    }

    private Statements statements(String quotedSchema) {
        return new Statements(connection, quotedSchema);
    }

    private boolean hasTables(String quotedSchema) throws SQLException {
        return statements("")
                .one(HAS_TABLES, row -> row.getBoolean(1), quotedSchema + ".application");
    }

    /** Whether a slot has its name. */
    boolean isNamed(int slot) throws SQLException {
        return hasTables(real(slot));
    }

    private @Nullable Note note(String quotedSchema) throws SQLException {
        return Note.parse(
                statements("")
                        .first(COMMENT, row -> Optional.ofNullable(row.getString(1)), quotedSchema)
                        .flatMap(it -> it)
                        .orElse(null));
    }

    /**
     * From now on the schemas are this run's. Ends the transaction of another, and makes those that
     * are not there.
     *
     * @param words who does it and since when
     * @param mayMake false once a slot has its name: what is missing then was lost
     * @throws RefusedSqlException if there is a schema of another division
     */
    void claim(String words, String newToken, boolean mayMake) throws SQLException {
        lock.seize();
        for (int slot : slots) {
            boolean isNamed = isNamed(slot);
            if (!isNamed && !hasTables(of(slot))) {
                if (!mayMake) {
                    throw new RefusedSqlException(
                            "slots have their names, and the schema %s is missing"
                                    .formatted(of(slot)));
                }
                new Migrator(settings(slot), site.owner()).make(connection);
                execute("ALTER TABLE %s.state ADD COLUMN %s bigint".formatted(of(slot), COPY_OF));
            } else {
                requireOfThis(isNamed ? real(slot) : of(slot), slot);
            }
            comment(isNamed ? real(slot) : of(slot), slot, words, newToken);
        }
        connection.commit();
        token = newToken;
    }

    private void requireOfThis(String schema, int slot) throws SQLException {
        @Nullable Note note = note(schema);
        if (note == null || note.slot() != slot || note.count() != count) {
            throw new RefusedSqlException(
                    note == null
                            ? "there is a schema %s, which this command has not made"
                                    .formatted(schema)
                            : "%s is slot %d of %d: the division was begun with another store.slots; take it back with --abandon"
                                    .formatted(schema, note.slot(), note.count()));
        }
    }

    /** Begins a transaction. */
    void begin() throws SQLException {
        connection.commit();
        if (!lock.take()) {
            throw new UnavailableException(
                    "somebody else divides the rows at this time: " + lock.holders());
        }
        int first = slots.first();
        @Nullable Note note = note(isNamed(first) ? real(first) : of(first));
        if (note == null || !note.token().equals(token)) {
            throw new RefusedSqlException(
                    "somebody else has gone on with the division meanwhile, or has taken it back");
        }
    }

    void commit() throws SQLException {
        connection.commit();
    }

    /** The copies of a range of keys. */
    void copies(RowsCopy.Range range, Map<String, RowsCopy.Print> found) throws SQLException {
        statements("")
                .query(
                        slots.stream()
                                .map(it -> RowsCopy.Print.query(of(it), COPY_OF, range.where()))
                                .collect(Collectors.joining(" UNION ALL ")),
                        row -> found.put(row.getString(1), RowsCopy.Print.of(row)));
    }

    /** Deletes the copies of a range of keys. */
    void delete(RowsCopy.Range range) throws SQLException {
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
            new TableCopies(from, fromSchema, connection, settings(slot).schema()).goOn();
        }
    }

    /** How many rows of a table all slots have that are here. */
    long count(String table) throws SQLException {
        long rows = 0;
        for (int slot : slots) {
            rows +=
                    statements(of(slot))
                            .one("SELECT count(*) FROM %1$s." + table, row -> row.getLong(1));
        }
        return rows;
    }

    /**
     * Gives the schemas their names, those that have them not. Functions have the name of their
     * schema in their text: they are made anew.
     */
    void name() throws SQLException {
        execute("SET LOCAL lock_timeout = '10s'"); // an autovacuum may be at the rows just copied
        for (int slot : slots) {
            if (!isNamed(slot)) {
                execute("ALTER TABLE %s.state DROP COLUMN %s".formatted(of(slot), COPY_OF));
                execute("ALTER SCHEMA %s RENAME TO %s".formatted(of(slot), real(slot)));
                for (String function :
                        statements("").list(FUNCTIONS, row -> row.getString(1), real(slot))) {
                    execute(function.replace(of(slot) + ".", real(slot) + "."));
                }
            }
        }
    }

    /** From now on no run goes on. Ends the transaction of one. */
    void revoke() throws SQLException {
        lock.seize();
        for (int slot : slots) {
            if (hasTables(of(slot))) {
                comment(of(slot), slot, "to be dropped", "nobody");
            }
        }
        connection.commit();
    }

    private void comment(String quotedSchema, int slot, String words, String newToken)
            throws SQLException {
        execute(
                "COMMENT ON SCHEMA %s IS 'envelope: slot %d of %d, %s [%s]'"
                        .formatted(quotedSchema, slot, count, words.replace("'", "''"), newToken));
    }

    /** Drops the working schemas. */
    void drop() throws SQLException {
        for (int slot : slots) {
            execute("DROP SCHEMA IF EXISTS %s CASCADE".formatted(of(slot)));
            connection.commit();
        }
    }

    private void execute(String sql) throws SQLException {
        TableCopies.execute(connection, sql);
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            log.debug("a connection to {} was not closed: {}", site.place(), e.getMessage());
        }
    }
}
