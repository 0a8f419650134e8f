package dev.envelope.integration.containers;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.Servers;
import dev.envelope.integration.stack.Topics;
import dev.envelope.integration.stack.Workspace;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** The images that people run, one container of each for all tests; they go with the JVM. */
final class ContainerServers implements Servers {

    private static final String PASSWORD = "envelope";

    /** One for the whole run, started by the first test that asks for it. */
    private static final class Holder {
        private static final ContainerServers SERVERS = new ContainerServers();
    }

    private final KafkaContainer broker =
            new KafkaContainer("apache/kafka:4.3.1")
                    // Sessions as short as on the local stack, so that restarts are quick.
                    .withEnv("KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS", "1000")
                    .withEnv("KAFKA_GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS", "1000")
                    .withEnv("KAFKA_GROUP_CONSUMER_SESSION_TIMEOUT_MS", "2000")
                    .withEnv("KAFKA_GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS", "200")
                    .withEnv("KAFKA_GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS", "300")
                    .withEnv("KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS", "0")
                    // A machine that does other things beside this one takes more than the usual
                    // minute.
                    .withStartupTimeout(Duration.ofMinutes(4));

    private final PostgreSQLContainer postgres = PostgresContainer.started();
    private final Topics topics;
    private final Workspace workspace = Workspace.open();

    private ContainerServers() {
        broker.start();
        Runtime.getRuntime().addShutdownHook(new Thread(broker::stop));
        topics = new Topics(broker.getBootstrapServers());
    }

    static ContainerServers started() {
        return Holder.SERVERS;
    }

    @Override
    public String bootstrapServers() {
        return broker.getBootstrapServers();
    }

    @Override
    public Topics topics() {
        return topics;
    }

    @Override
    public Database createDatabase(String name) {
        try (Connection connection =
                        DriverManager.getConnection(
                                postgres.getJdbcUrl(),
                                postgres.getUsername(),
                                postgres.getPassword());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + name + " LOGIN PASSWORD '" + PASSWORD + "'");
            statement.execute("CREATE DATABASE " + name + " OWNER " + name);
        } catch (SQLException e) {
            throw new IllegalStateException("no database " + name, e);
        }
        String url =
                "jdbc:postgresql://%s:%d/%s"
                        .formatted(postgres.getHost(), postgres.getMappedPort(5432), name);
        return new Database(url, name, PASSWORD);
    }

    @Override
    public Workspace workspace() {
        return workspace;
    }
}
