package dev.envelope.integration.pooler;

import dev.envelope.integration.stack.Database;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.postgresql.PGProperty;

/**
 * Clients of a database that do one short transaction after the other until they are closed.
 *
 * <p>Threads: one of its own for each client; the flag is volatile, the queue concurrent.
 */
final class OtherClients implements AutoCloseable {

    private final Database database;
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<SQLException> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean isClosed;

    private OtherClients(Database database) {
        this.database = database;
    }

    static OtherClients start(Database database, int clients) {
        OtherClients started = new OtherClients(database);
        for (int i = 0; i < clients; i++) {
            Thread thread = new Thread(started::run, "other-client-" + i);
            started.threads.add(thread);
            thread.start();
        }
        return started;
    }

    private void run() {
        Properties properties = new Properties();
        PGProperty.USER.set(properties, database.user());
        PGProperty.PASSWORD.set(properties, database.password());
        PGProperty.PREPARE_THRESHOLD.set(properties, 0);
        try (Connection connection = DriverManager.getConnection(database.url(), properties);
                Statement statement = connection.createStatement()) {
            while (!isClosed) {
                statement.execute("SELECT 1");
            }
        } catch (SQLException e) {
            failures.add(e);
        }
    }

    void failIfOneHasFailed() {
        if (!failures.isEmpty()) {
            throw new IllegalStateException("a client has failed", failures.element());
        }
    }

    @Override
    public void close() {
        isClosed = true;
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
