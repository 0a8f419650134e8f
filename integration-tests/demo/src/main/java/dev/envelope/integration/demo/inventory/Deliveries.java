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
 * What comes by a table, which a process of the same application reads with the same handler: all
 * that is there before the first order, and after that deliveries to depots, which nobody orders
 * from.
 *
 * <p>Threads: one at a time.
 */
final class Deliveries {

    /** What the names of depots begin with. */
    static final String DEPOT = "depot-";

    /** Beside the state of a depot, how many of its rows are done. */
    static final String DONE_OF_DEPOT =
            "CASE WHEN starts_with(key, '"
                    + DEPOT
                    + "') THEN (SELECT count(*) FROM delivery"
                    + " WHERE item = key AND done_at IS NOT NULL) END";

    private static final int ROWS_OF_AN_ITEM = 5;
    private static final int PIECES = 10;
    private static final int DEPOTS = 10;
    private static final int ROWS_AT_A_TIME = 50;
    private static final Duration ENDED_WITHIN = Duration.ofSeconds(25);

    private static final String TABLE =
            """
            CREATE TABLE delivery (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                item text NOT NULL,
                delivery jsonb NOT NULL,
                done_at timestamptz
            );
            CREATE INDEX ON delivery (item, id) WHERE done_at IS NULL;
            CREATE INDEX ON delivery (item) WHERE done_at IS NOT NULL;
            """;

    private static final String INSERT =
            """
            INSERT INTO delivery (item, delivery)
            SELECT '%s' || i %% %d, '{"action":"deliver","quantity":%d}' FROM generate_series(1, %d) i
            """;

    /** A row. */
    record Delivery(long id, String item, long quantity) {}

    private final Database database;
    private final Instance instance;
    private final ChildProcess process;

    /**
     * Writes the first rows and starts a process.
     *
     * @param seen the database as the process reaches it
     */
    Deliveries(
            int number, Servers stack, Database database, Database seen, int items, String token) {
        this.database = database;
        execute(TABLE + INSERT.formatted("item-", items, PIECES, items * ROWS_OF_AN_ITEM));
        instance = Instance.of(number, stack, application(), seen, token);
        process = instance.start();
    }

    private static Instance.Application application() {
        return new Instance.Application(
                InventoryPlay.ID,
                """
                source=table
                table.name=delivery
                table.key=item
                table.id=id
                table.value=delivery
                table.done=done_at
                output.numbers.topic=%s
                handler=%s
                """
                        .formatted(Stock.EVENTS, Stock.class.getName()));
    }

    /** Whether all that was there at first is done. Fails if the process has ended before. */
    boolean areOpened() {
        boolean areDone = read("done_at IS NULL").isEmpty();
        if (!areDone && !process.isAlive()) {
            throw new IllegalStateException("envelope has ended:\n" + process.logTail(30));
        }
        return areDone;
    }

    /** Ends the first process, which puts out what it has saved. */
    void stop() {
        process.stop(Signal.TERM, ENDED_WITHIN);
    }

    /** Who reads the table from then on. */
    Instance instance() {
        return instance;
    }

    /** Some more for depots. */
    void bring() {
        execute(INSERT.formatted(DEPOT, DEPOTS, PIECES, ROWS_AT_A_TIME));
    }

    /** All rows behind one, in the order in which those of an item are applied. */
    List<Delivery> behind(long id) {
        return read("id > " + id);
    }

    private List<Delivery> read(String condition) {
        List<Delivery> deliveries = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT id, item, (delivery->>'quantity')::bigint FROM delivery WHERE %s ORDER BY id"
                                        .formatted(condition))) {
            while (row.next()) {
                deliveries.add(new Delivery(row.getLong(1), row.getString(2), row.getLong(3)));
            }
            return deliveries;
        } catch (SQLException e) {
            throw new ServerAwayException("the deliveries can't be read: " + e.getMessage(), e);
        }
    }

    private void execute(String sql) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new ServerAwayException("the deliveries can't be written: " + e.getMessage(), e);
        }
    }
}
