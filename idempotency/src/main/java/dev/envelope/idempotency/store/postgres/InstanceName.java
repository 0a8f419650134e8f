package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.Sentences;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The name of a process among those of its application. It is only for people: leases are taken
 * under the start id as well. A start claims its name, and refuses one under which another process
 * is running, so that two processes are not taken for one.
 *
 * <p>Threads: one thread at a time; it keeps what it last saw of the other process.
 */
public final class InstanceName {

    /** The first program that knows firings of timers, and commands, from ordinary messages. */
    private static final int PROGRAM_WITH_BOTH = 11;

    /** A process that was not seen for this long is taken as ended. */
    private static final String SILENCE = "interval '10 s'";

    /**
     * Records that this process is alive. Takes the name over from another start only once that one
     * is silent.
     */
    static final String SEEN =
            "INSERT INTO %1$s.instance AS i (name, start_id, program, seen_at) VALUES (?, ?, "
                    + Migrator.PROGRAM
                    + ", now()) ON CONFLICT (name) DO UPDATE SET start_id = excluded.start_id,"
                    + " program = excluded.program, seen_at = excluded.seen_at"
                    + " WHERE i.start_id = excluded.start_id OR excluded.seen_at - i.seen_at > "
                    + SILENCE;

    private static final String FORGET =
            "DELETE FROM %1$s.instance WHERE seen_at < now() - interval '1 day' AND name <> ?";

    private static final String OTHER =
            "SELECT coalesce(start_id, '') || ' ' || seen_at FROM %1$s.instance WHERE name = ?";

    private static final String REQUIRE_PROGRAM =
            "SELECT coalesce(%1$s.require_program(" + PROGRAM_WITH_BOTH + "), false)";

    private static final String OLDER =
            "SELECT string_agg(i.name, ', ' ORDER BY i.name) FROM %1$s.instance AS i"
                    + " WHERE coalesce(i.program, 0) < "
                    + PROGRAM_WITH_BOTH
                    + " AND i.seen_at >= now() - "
                    + SILENCE;

    private final PostgresSettings settings;
    private final String startId;
    private final Set<Feature> features;
    private @Nullable String other;

    /** What no older program may run beside. */
    public enum Feature {
        TIMERS("timers=true", "would take the firing of a timer for a message"),
        COMMANDS("gateway.listen", "would apply a command and leave no answer to it");

        private final String setting;
        private final String wrong;

        Feature(String setting, String wrong) {
            this.setting = setting;
            this.wrong = wrong;
        }
    }

    /**
     * The name in the settings.
     *
     * @param startId the id of this start, with which the store is opened
     * @param features that this process may use
     */
    public InstanceName(PostgresSettings settings, String startId, Set<Feature> features) {
        this.settings = settings;
        this.startId = startId;
        this.features = Set.copyOf(features);
    }

    /**
     * Claims the name.
     *
     * @throws RefusedException if another process was seen under it since the last call
     * @throws UnavailableException if another process was seen under it recently, which may have
     *     been killed; if an older program runs that does not know the features; or the database
     *     can't be reached
     */
    public void claim() {
        try (Connection connection = new Connector(settings, settings.timeouts().lock()).open()) {
            Statements statements = new Statements(connection, settings.quotedSchema());
            statements.update(FORGET, settings.instance());
            if (statements.update(SEEN, settings.instance(), startId) == 0) {
                isTaken(
                        statements
                                .first(OTHER, row -> row.getString(1), settings.instance())
                                .orElse(null));
            }
            for (Feature feature : features) {
                requireProgram(statements, feature);
            }
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    /** No older program may start from now on, and those that run have to end first. */
    private void requireProgram(Statements statements, Feature feature) throws SQLException {
        if (statements.one(REQUIRE_PROGRAM, row -> row.getBoolean(1))) {
            throw new UnavailableException(
                    feature.setting
                            + " is used for the first time: a process of an older release that is"
                            + " just starting would be seen at the next look");
        }
        Optional<String> older =
                statements.one(OLDER, row -> Optional.ofNullable(row.getString(1)));
        if (older.isPresent()) {
            throw new UnavailableException(
                    "a process of an older release %s: %s waits until these have ended: %s"
                            .formatted(feature.wrong, feature.setting, older.get()));
        }
    }

    private void isTaken(@Nullable String seen) {
        String before = other;
        other = seen;
        if (before != null && seen != null && !before.equals(seen)) {
            throw new RefusedException(Sentences.nameIsTaken(settings));
        }
        throw new UnavailableException(Sentences.nameWasSeen(settings));
    }
}
