package dev.envelope.integration.soak;

import dev.envelope.integration.cluster.ConsumerGroup;
import dev.envelope.integration.cluster.ConsumerProcess;
import dev.envelope.integration.cluster.RowLock;
import dev.envelope.integration.cluster.Sessions;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalBroker;
import dev.envelope.integration.stack.LocalPostgres;
import dev.envelope.integration.stack.Server;
import dev.envelope.integration.stack.Servers;
import dev.envelope.integration.stack.Topics;
import dev.envelope.integration.stack.Workspace;
import dev.envelope.integration.stack.proxy.FaultProxy;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * The servers of a run, in a way that lets everything about them break; the password of every
 * database's owner is the canary.
 *
 * <p>Threads: thread-safe (the stack is).
 */
final class Grounds implements Servers, AutoCloseable {

    /** The most frequent ones: enough that each process has some of them. */
    private static final List<String> HOT_KEYS =
            IntStream.range(0, 16).mapToObj(number -> "key-" + number).toList();

    private final ProxiedStack stack;
    private final Canaries canaries;
    private final String name;

    private Grounds(ProxiedStack stack, Canaries canaries, String name) {
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
        return new Grounds(ProxiedStack.start(), canaries, name);
    }

    LocalBroker broker() {
        return stack.broker();
    }

    LocalPostgres postgres() {
        return stack.postgres();
    }

    FaultProxy toBroker() {
        return stack.toBroker();
    }

    FaultProxy toPostgres() {
        return stack.toPostgres();
    }

    /** Where the processes find the broker: through the network that fails. */
    @Override
    public String bootstrapServers() {
        return stack.bootstrapServers();
    }

    /** Where everybody else finds it. */
    String directBootstrapServers() {
        return stack.direct().bootstrapServers();
    }

    @Override
    public Topics topics() {
        return stack.topics();
    }

    @Override
    public Workspace workspace() {
        return stack.direct().workspace();
    }

    /** Found through the network that fails. */
    @Override
    public Database createDatabase(String wanted) {
        Database created = stack.direct().createDatabase(wanted);
        try (Connection connection = stack.postgres().superuser().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET log_min_error_statement = panic");
            statement.execute(
                    "ALTER ROLE " + wanted + " PASSWORD '" + canaries.storePassword() + "'");
        } catch (SQLException e) {
            throw new IllegalStateException("no password for " + wanted, e);
        }
        return stack.throughProxy(
                new Database(created.url(), created.user(), canaries.storePassword()));
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

    /** Whether it was caught there; it is frozen then. */
    boolean freezeInTransaction(ConsumerProcess process, Sessions sessions) {
        return sessions.freezeInTransaction(process, database(), ConsumerGroup.SCHEMA, HOT_KEYS);
    }

    Sessions sessions() {
        return Sessions.open(stack.postgres().superuser());
    }

    /** Whatever was broken is whole afterwards. */
    void mend() {
        stack.heal();
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
