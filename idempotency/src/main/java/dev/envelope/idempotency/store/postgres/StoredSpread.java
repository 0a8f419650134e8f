package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Which rows records without a key come to, as the first start that gave them any wrote it down: so
 * many that they are spread over, or one for each partition. A record that is read again under
 * another rule would come to another row, whose marks know nothing of it, and count twice.
 *
 * <p>Threads: immutable.
 */
public final class StoredSpread {

    /** In place of a number: one row for each partition. */
    static final int PARTITIONS = 0;

    private final PostgresSettings settings;

    public StoredSpread(PostgresSettings settings) {
        this.settings = settings;
    }

    /**
     * Writes down where nothing stands that those of a partition are one row.
     *
     * @throws RefusedException if they are spread
     * @throws UnavailableException if the database can't be reached
     */
    public void claimPartitions() {
        claim(PARTITIONS);
    }

    /**
     * Writes the number down where nothing stands.
     *
     * @throws RefusedException if another stands there, or one row for each partition
     * @throws UnavailableException if the database can't be reached
     */
    public void claim(int rows) {
        String table = settings.quotedSchema() + ".application";
        try (Connection connection = new Connector(settings, settings.timeouts().lock()).open();
                PreparedStatement claim =
                        connection.prepareStatement(
                                "UPDATE "
                                        + table
                                        + " SET null_key_spread = ? WHERE null_key_spread IS NULL");
                Statement look = connection.createStatement()) {
            claim.setInt(1, rows);
            claim.executeUpdate();
            try (ResultSet row = look.executeQuery("SELECT null_key_spread FROM " + table)) {
                row.next();
                int stored = row.getInt(1);
                if (stored != rows) {
                    throw new RefusedException(Sentences.otherSpread(settings, stored, rows));
                }
            }
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }
}
