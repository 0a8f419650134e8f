package dev.envelope.integration.soak;

import dev.envelope.integration.cluster.ConsumerGroup;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalBroker;
import dev.envelope.integration.stack.LocalPostgres;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.Server;
import dev.envelope.integration.stack.Servers;
import dev.envelope.integration.stack.Topics;
import dev.envelope.integration.stack.Workspace;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The servers of a run, in a way that lets everything about them break; the password of every
 * database's owner is the canary.
 *
 * <p>Threads: thread-safe (the stack is).
 */
final class Grounds implements Servers, AutoCloseable {

    /** The most frequent ones. */
    private static final List<String> HOT_KEYS = List.of("key-0", "key-1", "key-2");

    private final LocalStack stack;
    private final Canaries canaries;
    private final String name;

    private Grounds(LocalStack stack, Canaries canaries, String name) {
        this.stack = stack;
        this.canaries = canaries;
        this.name = name;
    }

    /**
     * Starts everything.
     *
     * @param name of the database and its owner
     */
    static Grounds open(Canaries canaries, String name) {
        return new Grounds(LocalStack.start(), canaries, name);
    }

    LocalBroker broker() {
        return stack.broker();
    }

    LocalPostgres postgres() {
        return stack.postgres();
    }

    @Override
    public String bootstrapServers() {
        return stack.bootstrapServers();
    }

    @Override
    public Topics topics() {
        return stack.topics();
    }

    @Override
    public Workspace workspace() {
        return stack.workspace();
    }

    @Override
    public Database createDatabase(String wanted) {
        Database created = stack.createDatabase(wanted);
        try (Connection connection = stack.postgres().superuser().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET log_min_error_statement = panic");
            statement.execute(
                    "ALTER ROLE " + wanted + " PASSWORD '" + canaries.storePassword() + "'");
        } catch (SQLException e) {
            throw new IllegalStateException("no password for " + wanted, e);
        }
        return new Database(created.url(), created.user(), canaries.storePassword());
    }

    /** The run's database, past whatever lies between the application and it. */
    Database database() {
        String url = stack.postgres().superuser().url();
        return new Database(
                url.substring(0, url.lastIndexOf('/') + 1) + name, name, canaries.storePassword());
    }

    /** Does something while a session outside holds the rows of some busy keys. */
    boolean whileRowsAreLocked(BooleanSupplier action) {
        return RowLock.during(database(), ConsumerGroup.SCHEMA, HOT_KEYS, action);
    }

    Sessions sessions() {
        return Sessions.open(stack.postgres().superuser());
    }

    /** Whatever was broken is whole afterwards. */
    void mend() {
        for (Server server : List.of(stack.broker(), stack.postgres())) {
            server.resume();
            if (!server.process().isAlive()) {
                server.start();
            }
        }
    }

    @Override
    public void close() {
        stack.close();
    }
}
