package dev.envelope.integration.table;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.awaitility.Awaitility;

/**
 * The table {@code work}, which tests fill and processes read.
 *
 * <p>Threads: stateless.
 */
public final class WorkTable {

    /** Any so many rows that follow each other have one of each key. */
    public static final int KEYS = 300;

    private static final int AT_ONCE = 100;

    private WorkTable() {}

    /** A database of this name with the table, empty. */
    public static Database create(LocalStack stack, String name) {
        Database database = stack.postgres().createDatabase(name);
        Applications.execute(
                database,
                "CREATE TABLE work (id bigint PRIMARY KEY, key text NOT NULL, amount int);"
                        + " CREATE INDEX ON work (key, id)");
        return database;
    }

    /** An application that reads it, and has no broker. */
    public static List<String> settings(
            LocalStack stack, String name, Database database, String... more) {
        List<String> settings = Applications.settings(stack.bootstrapServers(), name, database);
        settings.removeIf(it -> it.startsWith("bootstrap") || it.startsWith("topics"));
        settings.addAll(
                List.of(
                        "source=table",
                        "table.name=work",
                        "table.key=key",
                        "table.id=id",
                        "slots.timeout=2s"));
        settings.addAll(List.of(more));
        return settings;
    }

    /** Two transactions in turns: one is open while the other commits later rows. */
    public static void insert(Database database, int from, int to) {
        SplittableRandom random = new SplittableRandom(from);
        try (Connection one = database.connect();
                Connection other = database.connect()) {
            one.setAutoCommit(false);
            other.setAutoCommit(false);
            for (int at = from; at < to; at += AT_ONCE) {
                Connection by = random.nextBoolean() ? one : other;
                try (Statement statement = by.createStatement()) {
                    statement.execute(
                            "INSERT INTO work SELECT i, 'key-' || i * 7919::bigint %% %d, 1 FROM generate_series(%d, %d) i"
                                    .formatted(KEYS, at, at + AT_ONCE - 1));
                }
                if (random.nextInt(3) == 0) {
                    by.commit();
                }
            }
            one.commit();
            other.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until all its rows are done. */
    public static void awaitEmpty(Database database) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(90))
                .until(() -> Applications.number(database, "SELECT count(*) FROM work") == 0);
    }
}
