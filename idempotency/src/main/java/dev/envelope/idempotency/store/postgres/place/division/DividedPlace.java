package dev.envelope.idempotency.store.postgres.place.division;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.postgres.place.SlotSchemas;
import dev.envelope.idempotency.store.postgres.place.SlotSite;
import dev.envelope.idempotency.store.postgres.place.TableCopies;
import dev.envelope.idempotency.store.postgres.place.TransactionLock;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.NavigableSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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

    private static final String COMMENT =
            "SELECT pg_catalog.obj_description(pg_catalog.to_regnamespace(?), 'pg_namespace')";

    private static final String HAS_TABLES = "SELECT pg_catalog.to_regclass(?) IS NOT NULL";

    private static final String FUNCTIONS =
            "SELECT pg_catalog.pg_get_functiondef(oid) FROM pg_catalog.pg_proc"
                    + " WHERE pronamespace = pg_catalog.to_regnamespace(?)";

    /** A process that runs has a row in the one, and what it saves is newer than all copies. */
    private static final String WAS_USED =
            "SELECT EXISTS (SELECT FROM %1$s.instance)"
                    + " OR coalesce(max(updated_at) > ?::timestamptz, false) FROM %1$s.state";

    /** An autovacuum may be at rows that were just copied. */
    private static final String PATIENTLY = "SET LOCAL lock_timeout = '10s'";

    private final SlotSite site;
    private final NavigableSet<Integer> slots;
    private final int count; // of all slots
    private final Connection connection;
    private final TransactionLock lock;
    private String token = "";

    DividedPlace(SlotSite site, NavigableSet<Integer> slots, int count) throws SQLException {
        this.site = site;
        this.slots = slots;
        this.count = count;
        this.connection = site.open();
        this.lock = TransactionLock.ofFilling(connection, site, slots.first());
    }

    /** The rows of the working schemas. */
    DividedRows rows() {
        return new DividedRows(site, connection, slots, count);
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
        return site.settings().withSchema(DividedRows.working(site.settings().schema(), slot));
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

    private @Nullable DivisionNote note(String quotedSchema) throws SQLException {
        return DivisionNote.parse(
                statements("")
                        .first(COMMENT, row -> Optional.ofNullable(row.getString(1)), quotedSchema)
                        .flatMap(it -> it)
                        .orElse(null));
    }

    /** Which copy has filled a slot; empty if none has. */
    Optional<String> copy(int slot) throws SQLException {
        return Optional.ofNullable(note(present(slot))).map(DivisionNote::copy);
    }

    private String present(int slot) throws SQLException {
        return isNamed(slot) ? real(slot) : of(slot);
    }

    /** Waits for the transaction of another run, or ends it. This one's next steps go on in it. */
    void seize() throws SQLException {
        lock.seize();
    }

    /**
     * From now on the schemas are this run's. Makes those that are not there.
     *
     * @param words who does it and since when
     * @param isFilled whether all slots are filled; if not, none keeps its name
     * @throws RefusedSqlException if there is a schema of another division
     */
    void claim(String words, String newToken, boolean isFilled) throws SQLException {
        for (int slot : slots) {
            if (isNamed(slot) || hasTables(of(slot))) {
                @Nullable String copy = requireOfThis(present(slot), slot).copy();
                if (isNamed(slot) && !isFilled) {
                    takeNameBack(slot);
                }
                comment(present(slot), slot, isFilled ? copy : null, words, newToken);
            } else if (isFilled) {
                throw new RefusedSqlException("the schema %s is missing".formatted(of(slot)));
            } else {
                new Migrator(settings(slot), site.owner()).make(connection);
                addVersions(slot);
                comment(of(slot), slot, null, words, newToken);
            }
        }
        connection.commit();
        token = newToken;
    }

    private void addVersions(int slot) throws SQLException {
        execute(
                "ALTER TABLE %s.state ADD COLUMN %s bigint"
                        .formatted(of(slot), DividedRows.COPY_OF));
    }

    private DivisionNote requireOfThis(String schema, int slot) throws SQLException {
        @Nullable DivisionNote note = note(schema);
        if (note == null || note.slot() != slot || note.count() != count) {
            throw new RefusedSqlException(
                    note == null
                            ? "there is a schema %s, which this command has not made"
                                    .formatted(schema)
                            : "%s is slot %d of %d: the division was begun with another store.slots; take it back with --abandon"
                                    .formatted(schema, note.slot(), note.count()));
        }
        return note;
    }

    /**
     * Looks whether slots have only had their names, and were not used.
     *
     * @param newest when the newest row was written of which these are copies; null if there is
     *     none
     */
    void requireUnused(@Nullable String newest) throws SQLException {
        for (int slot : slots) {
            if (isNamed(slot) && wasUsed(slot, newest)) {
                throw new RefusedSqlException(
                        "slot %d at %s was in use, and other slots have lost their rows since: restore their databases from a newer copy"
                                .formatted(slot, site.place()));
            }
        }
    }

    private boolean wasUsed(int slot, @Nullable String newest) throws SQLException {
        return TableCopies.patiently(
                connection,
                () -> statements(real(slot)).one(WAS_USED, row -> row.getBoolean(1), newest));
    }

    /** Whether the schema that has the slot's name was made by a division. */
    boolean isOfDivision(int slot) throws SQLException {
        return note(real(slot)) != null;
    }

    /** The other slots are filled anew, and so is this one. */
    private void takeNameBack(int slot) throws SQLException {
        execute(PATIENTLY);
        rename(real(slot), of(slot));
        addVersions(slot);
    }

    /** Says of all slots that they are filled. */
    void filled(String copy) throws SQLException {
        for (int slot : slots) {
            DivisionNote note = requireOfThis(of(slot), slot);
            comment(of(slot), slot, copy, note.words(), token);
        }
    }

    /** Begins a transaction. */
    void begin() throws SQLException {
        connection.commit();
        lock();
        if (!isOfThisRun(present(slots.first()))) {
            throw new RefusedSqlException(
                    "somebody else has gone on with the division meanwhile, or has taken it back");
        }
    }

    private void lock() throws SQLException {
        if (!lock.take()) {
            throw new UnavailableException(
                    "somebody else divides the rows at this time: " + lock.holders());
        }
    }

    private boolean isOfThisRun(String quotedSchema) throws SQLException {
        @Nullable DivisionNote note = note(quotedSchema);
        return note != null && note.token().equals(token);
    }

    void commit() throws SQLException {
        connection.commit();
    }

    /** Gives the schemas their names, those that have them not. */
    void name() throws SQLException {
        execute(PATIENTLY);
        for (int slot : slots) {
            if (!isNamed(slot)) {
                execute(
                        "ALTER TABLE %s.state DROP COLUMN %s"
                                .formatted(of(slot), DividedRows.COPY_OF));
                rename(of(slot), real(slot));
            }
        }
    }

    /** Functions have the name of their schema in their text: they are made anew. */
    private void rename(String quoted, String quotedTo) throws SQLException {
        execute("ALTER SCHEMA %s RENAME TO %s".formatted(quoted, quotedTo));
        for (String function : statements("").list(FUNCTIONS, row -> row.getString(1), quotedTo)) {
            execute(function.replace(quoted + ".", quotedTo + "."));
        }
    }

    /** From now on no run goes on but this one. Ends the transaction of another. */
    void revoke(String newToken) throws SQLException {
        lock.seize();
        for (int slot : slots) {
            @Nullable DivisionNote note = note(of(slot));
            if (hasTables(of(slot))) {
                @Nullable String copy = note == null ? null : note.copy();
                comment(of(slot), slot, copy, "to be dropped", newToken);
            }
        }
        connection.commit();
        token = newToken;
    }

    private void comment(
            String quotedSchema, int slot, @Nullable String copy, String words, String newToken)
            throws SQLException {
        String note = new DivisionNote(slot, count, copy, words, newToken).toString();
        execute("COMMENT ON SCHEMA %s IS '%s'".formatted(quotedSchema, note.replace("'", "''")));
    }

    /**
     * Drops the working schemas that are still this run's; last the one that {@link #begin} asks.
     */
    void drop() throws SQLException {
        for (int slot : slots.descendingSet()) {
            connection.commit();
            lock();
            if (isOfThisRun(of(slot))) {
                execute("DROP SCHEMA %s CASCADE".formatted(of(slot)));
            }
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
