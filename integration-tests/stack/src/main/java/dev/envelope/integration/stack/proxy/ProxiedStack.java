package dev.envelope.integration.stack.proxy;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalBroker;
import dev.envelope.integration.stack.LocalPostgres;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.Servers;
import dev.envelope.integration.stack.Topics;
import dev.envelope.integration.stack.Workspace;
import java.util.Map;

/**
 * A local stack with two ways to each server: one for the test, which always works, and one for the
 * application, through a network that can be made to fail.
 *
 * <p>Threads: thread-safe (its parts are).
 */
public final class ProxiedStack implements Servers, AutoCloseable {

    private final LocalStack stack;
    private final FaultProxy toBroker;
    private final FaultProxy toPostgres;

    private ProxiedStack(LocalStack stack, FaultProxy toBroker, FaultProxy toPostgres) {
        this.stack = stack;
        this.toBroker = toBroker;
        this.toPostgres = toPostgres;
    }

    /** Starts all of it. */
    public static ProxiedStack start() {
        return start(Map.of(), Map.of());
    }

    /** The same with settings of the servers that replace ours or are added to them. */
    public static ProxiedStack start(
            Map<String, String> brokerSettings, Map<String, String> postgresSettings) {
        int behind = Ports.free();
        FaultProxy toBroker = FaultProxy.start("broker", behind, new KafkaWire());
        try {
            LocalStack stack =
                    LocalStack.start(
                            brokerSettings,
                            postgresSettings,
                            new LocalBroker.Detour(behind, toBroker.port()));
            return new ProxiedStack(
                    stack,
                    toBroker,
                    FaultProxy.start("postgres", stack.postgres().port(), new PostgresWire()));
        } catch (RuntimeException e) {
            toBroker.close();
            throw e;
        }
    }

    /** The stack itself, without the network. */
    public LocalStack direct() {
        return stack;
    }

    /** The broker. */
    public LocalBroker broker() {
        return stack.broker();
    }

    /** The database server. */
    public LocalPostgres postgres() {
        return stack.postgres();
    }

    /** The topics, by the way that always works. */
    @Override
    public Topics topics() {
        return stack.topics();
    }

    /** The network between the application and the broker. */
    public FaultProxy toBroker() {
        return toBroker;
    }

    /** The network between the application and Postgres. */
    public FaultProxy toPostgres() {
        return toPostgres;
    }

    @Override
    public Workspace workspace() {
        return stack.workspace();
    }

    /** As the application finds it. */
    @Override
    public Database createDatabase(String name) {
        return throughProxy(stack.createDatabase(name));
    }

    /** Where the application finds the broker. */
    @Override
    public String bootstrapServers() {
        return "127.0.0.1:" + toBroker.port();
    }

    /** Where the application finds a database. */
    public Database throughProxy(Database database) {
        return database.at(toPostgres.port());
    }

    /** Ends the faults of both networks. */
    public void heal() {
        toBroker.heal();
        toPostgres.heal();
    }

    @Override
    public void close() {
        toBroker.close();
        toPostgres.close();
        stack.close();
    }
}
