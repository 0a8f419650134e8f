package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.idempotency.store.postgres.place.SlotSchemas.Here;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Where a slot is moved away from. Each step is a transaction. */
final class OldPlace {

    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss").withZone(ZoneOffset.UTC);

    private static final String SCHEMA_EXISTS = "SELECT pg_catalog.to_regnamespace(?) IS NOT NULL";

    private static final String LEFT =
            "SELECT nspname FROM pg_catalog.pg_namespace WHERE starts_with(nspname, ?)"
                    + " AND nspname ~ '_moved_[0-9_]+$'"
                    + " AND pg_catalog.to_regclass(pg_catalog.quote_ident(nspname) || '.application')"
                    + " IS NOT NULL ORDER BY nspname COLLATE \"C\" DESC LIMIT 1";

    private final Connection connection;
    private final SlotSite site;
    private final int slot;
    private final String schema;

    OldPlace(Connection connection, SlotSite site, int slot) {
        this.connection = connection;
        this.site = site;
        this.slot = slot;
        this.schema = SlotSchemas.of(site.settings().schema(), slot);
    }

    /** The name of its schema during the move. */
    String hidden() {
        return SlotSchemas.moving(schema);
    }

    /** Its name before. */
    String shown() {
        return schema;
    }

    /** One at a time changes the name of its schema. */
    void lock() throws SQLException {
        new TransactionLock(connection, "envelope move " + schema).require();
    }

    private Statements statements() {
        return new Statements(connection, schema);
    }

    /** The move that is under way here; null if there is none. */
    @Nullable MoveNote moving() throws SQLException {
        return here().moving();
    }

    private Here here() throws SQLException {
        return SlotSchemas.read(connection, site.settings().schema())
                .getOrDefault(slot, Here.NOTHING);
    }

    /** Gives the schema its other name. */
    void hide(MoveNote note) throws SQLException {
        rename(schema, hidden(), note);
    }

    /** The newest of the copies that were left here. */
    String left() throws SQLException {
        return statements().one(LEFT, row -> row.getString(1), SlotSchemas.moved(schema, ""));
    }

    /**
     * Gives the newest copy that was left here the name that it had during the move.
     *
     * @param former the token of the move that has left it
     * @throws RefusedSqlException if it is that of a later one
     */
    void takeAgain(String former, MoveNote note) throws SQLException {
        @Nullable MoveNote newest = here().moved();
        if (newest == null || !newest.token().equals(former)) {
            throw new RefusedSqlException(
                    "somebody else has moved slot %d meanwhile".formatted(slot));
        }
        new RenamedSchema(connection, left()).rename(hidden(), note.toString());
    }

    /** Gives it its name again. */
    void show() throws SQLException {
        rename(hidden(), schema, null);
        connection.commit();
    }

    /**
     * Gives it the name under which nobody needs it any more.
     *
     * @return what is to be done about it
     */
    String leave(MoveNote note, Instant now) throws SQLException {
        @Nullable MoveNote present = moving();
        String at = SlotSchemas.moved(schema, SECONDS.format(now));
        String name = at;
        for (int i = 2; exists(name); i++) {
            name = at + "_" + i;
        }
        if (present != null && present.token().equals(note.token())) {
            rename(hidden(), name, note.as(MoveNote.Kind.MOVED, note.place(), now));
        }
        connection.commit();
        return "what it was copied from stays at %s until you DROP SCHEMA %s CASCADE there"
                .formatted(site.place(), name);
    }

    private boolean exists(String name) throws SQLException {
        return statements().one(SCHEMA_EXISTS, row -> row.getBoolean(1), name);
    }

    private void rename(String from, String to, @Nullable MoveNote note) throws SQLException {
        new RenamedSchema(connection, from).rename(to, note == null ? null : note.toString());
    }

    /**
     * Looks whether this move is still under way.
     *
     * @throws RefusedSqlException if it was taken back, or was finished by somebody else
     */
    void require(MoveNote note) throws SQLException {
        @Nullable MoveNote present = moving();
        if (present == null || !present.token().equals(note.token())) {
            throw new RefusedSqlException(
                    "the move of slot %d was taken back or finished by somebody else meanwhile"
                            .formatted(slot));
        }
    }

    /** What is read from now on is of one moment. */
    void beginSnapshot() throws SQLException {
        connection.commit();
        TableCopies.execute(
                connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    }
}
