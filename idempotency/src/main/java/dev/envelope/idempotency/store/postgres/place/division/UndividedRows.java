package dev.envelope.idempotency.store.postgres.place.division;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.postgres.place.RenamedSchema;
import dev.envelope.idempotency.store.postgres.place.SlotSite;
import dev.envelope.idempotency.store.postgres.place.TableCopies;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The schema of rows that are not divided. From the last step of a division on it has another name,
 * so that nobody saves there.
 */
public final class UndividedRows {

    private static final String DIVIDING = "_dividing";
    private static final String DIVIDED = "_divided";

    private static final String NAMES =
            "SELECT n.nspname FROM pg_catalog.pg_namespace AS n JOIN pg_catalog.pg_class AS c"
                    + " ON c.relnamespace = n.oid AND c.relname = 'application'"
                    + " WHERE n.nspname = ANY (?::text[])";

    /** Who was seen lately, and when last; nobody has no row. */
    private static final String LIVE =
            "SELECT string_agg(name, ', ' ORDER BY name), max(seen_at)::text FROM %1$s.instance"
                    + " WHERE seen_at > now() - interval '10 s'";

    private static final String NEWEST = "SELECT max(updated_at)::text FROM %1$s.state";

    private static final String PAUSE = "SELECT pg_catalog.pg_sleep(0.5)";

    /** Who has ended is not seen any more after ten seconds. */
    private static final int MOST_PAUSES = 30;

    private final Connection connection;
    private final SlotSite site;
    private final String schema;

    /** How far a division is, by the name of this schema. */
    public enum Stage {
        /** There is none. */
        NONE,
        /** It has its name: the application runs, or can. */
        UNDIVIDED,
        /** The last step of the division is under way. */
        DIVIDING,
        /** It is a copy that nobody uses. */
        DIVIDED
    }

    UndividedRows(Connection connection, SlotSite site) {
        this.connection = connection;
        this.site = site;
        this.schema = site.settings().schema();
    }

    /** Where it is. */
    SlotSite site() {
        return site;
    }

    /** Its first name. */
    String schema() {
        return schema;
    }

    /**
     * Asks a server.
     *
     * @param site whose settings have the schema's first name
     * @throws UnavailableException if it does not answer
     */
    public static Stage stage(SlotSite site) {
        PostgresSettings settings = site.settings();
        try (Connection connection = new Connector(settings, settings.timeouts().lock()).open()) {
            return new UndividedRows(connection, site).stage();
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    /** The name that it has during the last step. */
    String hidden() {
        return schema + DIVIDING;
    }

    /** The name that it has afterwards. */
    String left() {
        return schema + DIVIDED;
    }

    Stage stage() throws SQLException {
        List<String> names = names();
        if (names.contains(hidden())) {
            return Stage.DIVIDING;
        } else if (names.contains(schema)) {
            return Stage.UNDIVIDED;
        }
        return names.contains(left()) ? Stage.DIVIDED : Stage.NONE;
    }

    /** Those of its names under which there are tables. */
    List<String> names() throws SQLException {
        return new Statements(connection, "")
                .list(
                        NAMES,
                        row -> row.getString(1),
                        BinaryArray.ofTexts(List.of(schema, hidden(), left()), it -> it));
    }

    /**
     * Why the last step can't be done now; empty if it can.
     *
     * @param name that it has at present
     */
    Optional<String> unsent(String name) throws SQLException {
        for (DividedTable table : DividedTable.of(DividedTable.Way.EMPTY)) {
            long rows =
                    new Statements(connection, TableCopies.quoted(name))
                            .one(
                                    "SELECT count(*) FROM %1$s." + table.name(),
                                    row -> row.getLong(1));
            if (rows > 0) {
                return Optional.of(
                        "%s.%s has %d rows, which can't be divided: let processes run with the former settings until they are sent, or drop those that Kafka refuses"
                                .formatted(name, table.name(), rows));
            }
        }
        return Optional.empty();
    }

    /** When the newest row was written; null if there is none. */
    @Nullable String newest() throws SQLException {
        String present = stage() == Stage.DIVIDING ? hidden() : schema;
        return TableCopies.patiently(
                        connection,
                        () ->
                                new Statements(connection, TableCopies.quoted(present))
                                        .one(NEWEST, row -> Optional.ofNullable(row.getString(1))))
                .orElse(null);
    }

    /** Those that were seen in the last ten seconds. */
    Optional<String> live() throws SQLException {
        return seen(1);
    }

    private Optional<String> seen(int column) throws SQLException {
        return new Statements(connection, TableCopies.quoted(schema))
                .one(LIVE, row -> Optional.ofNullable(row.getString(column)));
    }

    /**
     * Returns when no process was seen for ten seconds.
     *
     * @throws RefusedException if one is seen again meanwhile
     */
    void awaitEnd() throws SQLException {
        Optional<String> before = seen(2);
        for (int pauses = 0; before.isPresent() && live().isPresent(); pauses++) {
            if (pauses == MOST_PAUSES || !seen(2).map(before.get()::equals).orElse(true)) {
                throw new RefusedSqlException(
                        "processes run: end them before the last step: "
                                + live().orElse("one that just ended"));
            }
            connection.commit();
            new Statements(connection, "").one(PAUSE, row -> true);
            connection.commit();
        }
        connection.commit();
    }

    void hide() throws SQLException {
        rename(schema, hidden(), "is being divided: envelope slots divide --finish, or --abandon");
    }

    void show() throws SQLException {
        rename(hidden(), schema, null);
    }

    void leave() throws SQLException {
        rename(hidden(), left(), "was divided; nobody uses this copy");
    }

    private void rename(String from, String to, @Nullable String words) throws SQLException {
        new RenamedSchema(connection, from).rename(to, words == null ? null : "envelope: " + words);
    }
}
