package dev.envelope.integration.stack;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A broker and a Postgres, started together, and gone without a trace when it is closed.
 *
 * <p>Threads: thread-safe (its parts are).
 */
public final class LocalStack implements Servers, AutoCloseable {

    private final Workspace workspace;
    private final LocalBroker broker;
    private final LocalPostgres postgres;
    private final Topics topics;

    private LocalStack(Workspace workspace, LocalBroker broker, LocalPostgres postgres) {
        this.workspace = workspace;
        this.broker = broker;
        this.postgres = postgres;
        this.topics = new Topics(broker.bootstrapServers());
    }

    /** Starts both and returns when both can be used. */
    public static LocalStack start() {
        return start(Map.of(), Map.of());
    }

    /** The same with settings of the servers that replace ours or are added to them. */
    public static LocalStack start(
            Map<String, String> brokerSettings, Map<String, String> postgresSettings) {
        return start(brokerSettings, postgresSettings, null);
    }

    /** The same with a second way to the broker, or null. */
    public static LocalStack start(
            Map<String, String> brokerSettings,
            Map<String, String> postgresSettings,
            LocalBroker.@Nullable Detour detour) {
        Workspace workspace = Workspace.open();
        try {
            LocalBroker broker = new LocalBroker(workspace, brokerSettings, detour);
            LocalPostgres postgres = new LocalPostgres(workspace, postgresSettings);
            inParallel(broker, postgres);
            return new LocalStack(workspace, broker, postgres);
        } catch (RuntimeException e) {
            workspace.close();
            throw e;
        }
    }

    /** The broker. */
    public LocalBroker broker() {
        return broker;
    }

    /** The database server. */
    public LocalPostgres postgres() {
        return postgres;
    }

    @Override
    public String bootstrapServers() {
        return broker.bootstrapServers();
    }

    @Override
    public Database createDatabase(String name) {
        return postgres.createDatabase(name);
    }

    @Override
    public Topics topics() {
        return topics;
    }

    /** The folder of both servers, too. */
    @Override
    public Workspace workspace() {
        return workspace;
    }

    /** Kills both, and what else was started in the workspace, and deletes their data. */
    @Override
    public void close() {
        topics.close();
        workspace.close();
    }

    private static void inParallel(Server one, Server other) {
        CompletableFuture<Void> starting = CompletableFuture.runAsync(one::start);
        try {
            other.start();
            starting.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
