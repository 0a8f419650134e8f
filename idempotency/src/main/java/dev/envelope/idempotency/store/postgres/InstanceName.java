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
 * The name of a process among those of its application. Nothing rests on it but what people read:
 * leases are taken under a start id as well. So that people are not misled either, a start claims
 * its name, and refuses one under which another process is being seen.
 *
 * <p>Threads: one thread at a time; it remembers how the other one was seen last.
 */
public final class InstanceName {

    /** Who was not seen for that long is taken to be gone. */
    private static final String IS_SILENT = "i.seen_at < now() - interval '10 s'";

    /** For one that is seen: of another start under that name only once that is silent. */
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
     * The name that the settings have.
     *
     * @param startId of this process, the one that its store is opened with
     */
    public InstanceName(PostgresSettings settings, String startId) {
        this.settings = settings;
        this.startId = startId;
    }

    /**
     * Takes the name.
     *
     * @throws RefusedException if another process was seen under it since the last call
     * @throws UnavailableException if another was seen under it not long ago, which may have been
     *     killed; or the database can't be reached
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
