package dev.envelope.integration.demo.inventory;

import dev.envelope.integration.demo.group.Instance;
import dev.envelope.integration.example.Stock;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.Servers;
import dev.envelope.integration.stack.Signal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What is there before the first order: rows of a table, which a process of the same application
 * reads with the same handler. It ends when all of them are done.
 *
 * <p>Threads: one thread.
 */
final class OpeningStock {

    private static final int ROWS_OF_AN_ITEM = 5;
    private static final int PIECES = 10;
    private static final Duration ENDED_WITHIN = Duration.ofSeconds(25);

    private static final String TABLE =
            """
            CREATE TABLE opening_stock (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                item text NOT NULL,
                delivery jsonb NOT NULL,
                done_at timestamptz
            );
            CREATE INDEX ON opening_stock (item, id) WHERE done_at IS NULL;
            INSERT INTO opening_stock (item, delivery)
            SELECT 'item-' || i %% %1$d, '{"action":"deliver","quantity":%2$d}'
            FROM generate_series(0, %1$d * %3$d - 1) i;
            """;

    /** A row. */
    record Delivery(String item, long quantity) {}

    private final Database database;
    private final ChildProcess process;

    /**
     * Writes the rows and starts the process.
     *
     * @param seen the database as the process reaches it
     */
    OpeningStock(Servers stack, Database database, Database seen, int items, String token) {
        this.database = database;
        execute(TABLE.formatted(items, PIECES, ROWS_OF_AN_ITEM));
        process = Instance.of(0, stack, application(), seen, token).start();
    }

    private static Instance.Application application() {
        return new Instance.Application(
                InventoryPlay.ID,
                """
                source=table
                table.name=opening_stock
                table.key=item
                table.id=id
                table.value=delivery
                table.done=done_at
                output.numbers.topic=%s
                handler=%s
                """
                        .formatted(Stock.EVENTS, Stock.class.getName()));
    }

    /** Whether all rows are done. Fails if the process has ended before. */
    boolean isDone() {
        boolean isDone = read("done_at IS NULL").isEmpty();
        if (!isDone && !process.isAlive()) {
            throw new IllegalStateException("envelope has ended:\n" + process.logTail(30));
        }
        return isDone;
    }

    /** Ends the process, which puts out what it has saved. */
    void stop() {
        process.stop(Signal.TERM, ENDED_WITHIN);
    }

    /** All rows, in the order in which those of an item are applied. */
    List<Delivery> deliveries() {
        return read("true");
    }

    private List<Delivery> read(String condition) {
        List<Delivery> deliveries = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT item, (delivery->>'quantity')::bigint FROM opening_stock WHERE %s ORDER BY id"
                                        .formatted(condition))) {
            while (row.next()) {
                deliveries.add(new Delivery(row.getString(1), row.getLong(2)));
            }
            return deliveries;
        } catch (SQLException e) {
            throw new IllegalStateException("the opening stock can't be read", e);
        }
    }

    private void execute(String sql) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("the opening stock can't be written", e);
        }
    }
}
