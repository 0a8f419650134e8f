package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.Sentences;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The name of a process among those of its application. It is only for people: leases are taken
 * under the start id as well. A start claims its name, and refuses one under which another process
 * is running, so that two processes are not taken for one.
 *
 * <p>Threads: one thread at a time; it keeps what it last saw of the other process.
 */
public final class InstanceName {

    /** A process that was not seen for this long is taken as ended. */
    private static final String IS_SILENT = "i.seen_at < now() - interval '10 s'";

    /**
     * Records that this process is alive. Takes the name over from another start only once that one
     * is silent.
     */
    static final String SEEN =
            "INSERT INTO %1$s.instance AS i (name, start_id) VALUES (?, ?) ON CONFLICT (name)"
                    + " DO UPDATE SET start_id = excluded.start_id, seen_at = now()"
                    + " WHERE i.start_id = excluded.start_id OR "
                    + IS_SILENT;

    private static final String CLAIM =
            "WITH forgotten AS (DELETE FROM %1$s.instance"
                    + " WHERE seen_at < now() - interval '1 day' AND name <> ?) "
                    + SEEN;

    private static final String OTHER =
            "SELECT coalesce(start_id, '') || ' ' || seen_at FROM %1$s.instance WHERE name = ?";

    private final PostgresSettings settings;
    private final String startId;
    private @Nullable String other;

    /**
     * The name in the settings.
     *
     * @param startId the id of this start, with which the store is opened
     */
    public InstanceName(PostgresSettings settings, String startId) {
        this.settings = settings;
        this.startId = startId;
    }

    /**
     * Claims the name.
     *
     * @throws RefusedException if another process was seen under it since the last call
     * @throws UnavailableException if another process was seen under it recently, which may have
     *     been killed; or the database can't be reached
     */
    public void claim() {
        String schema = settings.quotedSchema();
        try (Connection connection = new Connector(settings, settings.timeouts().lock()).open();
                PreparedStatement claim = connection.prepareStatement(CLAIM.formatted(schema));
                PreparedStatement look = connection.prepareStatement(OTHER.formatted(schema))) {
            claim.setString(1, settings.instance());
            claim.setString(2, settings.instance());
            claim.setString(3, startId);
            if (claim.executeUpdate() == 0) {
                look.setString(1, settings.instance());
                try (ResultSet row = look.executeQuery()) {
                    isTaken(row.next() ? row.getString(1) : null);
                }
            }
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
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
