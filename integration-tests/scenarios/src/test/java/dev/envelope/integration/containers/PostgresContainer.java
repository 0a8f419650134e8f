package dev.envelope.integration.containers;

import dev.envelope.idempotency.store.postgres.TestServer;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** One Postgres container for all tests of the run; it goes with the JVM. */
final class PostgresContainer {

    private static final PostgreSQLContainer CONTAINER =
            new PostgreSQLContainer("postgres:18").withCommand("postgres");

    private PostgresContainer() {}

    static synchronized PostgreSQLContainer started() {
        if (!CONTAINER.isRunning()) {
            CONTAINER.start();
            // Where the engine has no reaper, nobody else would stop it.
            Runtime.getRuntime().addShutdownHook(new Thread(CONTAINER::stop));
        }
        return CONTAINER;
    }

    static TestServer server() {
        PostgreSQLContainer running = started();
        return TestServer.at(running.getJdbcUrl(), running.getUsername(), running.getPassword());
    }
}
