package dev.envelope.integration.bench.client;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * One booking into its row; the transaction is the caller's.
 *
 * <p>Threads: one at a time.
 */
public final class RecordWrite {

    private final PreparedStatement add;
    private final BookingReader reader = new BookingReader();

    public RecordWrite(Connection connection, LoopTables tables) throws SQLException {
        add = connection.prepareStatement(tables.addOne());
    }

    /** Adds the booking in {@code value} to the row of {@code key}. */
    public void apply(String key, byte[] value) throws SQLException {
        reader.read(value);
        add.setString(1, key);
        add.setLong(2, reader.amount());
        add.setLong(3, 1);
        add.setLong(4, reader.sequence());
        add.setLong(5, Balance.next(0, reader.sequence()));
        add.setLong(6, Balance.FACTOR);
        add.executeUpdate();
    }
}
