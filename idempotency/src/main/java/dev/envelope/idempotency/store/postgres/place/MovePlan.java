package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.postgres.place.SlotEntry.Size;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.CitusSchema;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a move would do.
 *
 * @param from where the slot is now
 * @param rows of all tables, as far as the server's statistics know
 * @param bytes on disk, with indexes
 * @param servers their versions, the old one's first
 * @param obstacles why it can't begin; empty if it can
 */
public record MovePlan(
        int slot,
        String from,
        String to,
        long rows,
        long bytes,
        List<String> servers,
        boolean isBegun,
        List<String> obstacles) {

    /** What a copy writes, on a small machine: an estimate for people. */
    private static final long BYTES_PER_SECOND = 20L << 20;

    private static final String OTHER_TABLES =
            "SELECT relname FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p', 'm', 'f')"
                    + " AND relnamespace = pg_catalog.to_regnamespace(?)"
                    + " AND NOT relname = ANY (?) ORDER BY relname";

    private static final String VERSION = "SELECT pg_catalog.current_setting('server_version')";

    private static final String MAY_CREATE =
            "SELECT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')";

    static MovePlan nothing(int slot, String place) {
        return new MovePlan(slot, place, place, 0, 0, List.of(), false, List.of());
    }

    /** Of which schema the old place has the rows. */
    interface Present {
        String name(OldPlace old) throws SQLException;
    }

    static MovePlan of(SlotSite from, SlotSite to, int slot, boolean isBegun, Present copied) {
        List<String> obstacles = new ArrayList<>();
        List<String> servers = new ArrayList<>();
        long[] size = new long[2];
        String schema = SlotSchemas.of(from.settings().schema(), slot);
        if (SlotSchemas.isTooLong(schema)) {
            obstacles.add("the name of the schema is too long for the one that it has afterwards");
        }
        ask(
                from,
                (connection, statements) -> {
                    String present = copied.name(new OldPlace(connection, from, slot));
                    servers.add(statements.one(VERSION, row -> row.getString(1)));
                    Size found = Size.of(statements, present);
                    size[0] = found.rows();
                    size[1] = found.bytes();
                    from.migrator(slot)
                            .obstacle(connection, present)
                            .ifPresent(it -> obstacles.add(from.place() + ": " + it));
                    List<String> others =
                            statements.list(
                                    OTHER_TABLES,
                                    row -> row.getString(1),
                                    TableCopies.quoted(present),
                                    BinaryArray.ofTexts(Migrator.tables(), it -> it));
                    if (!others.isEmpty()) {
                        obstacles.add(
                                "%s: the schema %s has tables that are not ours, and would be left behind: %s"
                                        .formatted(
                                                from.place(), present, String.join(", ", others)));
                    }
                    requireCreate(from, statements, obstacles);
                });
        ask(
                to,
                (connection, statements) -> {
                    servers.add(statements.one(VERSION, row -> row.getString(1)));
                    if (!isBegun && CitusSchema.isCitus(connection)) {
                        obstacles.add(
                                to.place() + ": slots are not moved into a database with Citus");
                    }
                    List<String> others =
                            statements.list(
                                    OTHER_TABLES,
                                    row -> row.getString(1),
                                    TableCopies.quoted(schema),
                                    BinaryArray.ofTexts(List.<String>of(), it -> it));
                    if (!isBegun && !others.isEmpty()) {
                        obstacles.add(
                                "%s: there is a schema %s with tables (%s)"
                                        .formatted(to.place(), schema, String.join(", ", others)));
                    }
                    requireCreate(to, statements, obstacles);
                });
        return new MovePlan(
                slot, from.place(), to.place(), size[0], size[1], servers, isBegun, obstacles);
    }

    /** Adds what is in the way of a role that has to make schemas. */
    public static void requireCreate(SlotSite site, Statements statements, List<String> obstacles)
            throws SQLException {
        if (!statements.one(MAY_CREATE, row -> row.getBoolean(1))) {
            obstacles.add(
                    site.place()
                            + ": the role may not name or make schemas (GRANT CREATE ON DATABASE); set store.migrator.user");
        }
    }

    /** Questions to a place. */
    private interface Questions {
        void ask(Connection connection, Statements statements) throws SQLException;
    }

    private static void ask(SlotSite site, Questions questions) {
        site.with(
                connection -> {
                    questions.ask(connection, new Statements(connection, ""));
                    return site;
                });
    }

    /** Whether the slot is there already. */
    public boolean isNothing() {
        return from.equals(to);
    }

    /** Roughly how long its keys wait. */
    public Duration estimate() {
        return Duration.ofSeconds(1 + bytes / BYTES_PER_SECOND);
    }

    void requirePossible() {
        if (!obstacles.isEmpty()) {
            throw new RefusedException(String.join("; ", obstacles));
        }
    }
}
