package dev.envelope.integration.stack;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A local stack with more database servers than one, in the same workspace.
 *
 * <p>Threads: thread-safe (its parts are).
 */
public final class SeveralDatabases implements Servers {

    private final LocalStack stack;
    private final List<LocalPostgres> databases;

    private SeveralDatabases(LocalStack stack, List<LocalPostgres> databases) {
        this.stack = stack;
        this.databases = List.copyOf(databases);
    }

    /**
     * Starts those that are missing; they end with the stack.
     *
     * @param count of all, the stack's own included
     */
    public static Servers of(LocalStack stack, int count) {
        List<LocalPostgres> databases = new ArrayList<>(List.of(stack.postgres()));
        for (int number = 1; number < count; number++) {
            LocalPostgres more =
                    new LocalPostgres(stack.workspace(), "postgres-" + number, Map.of());
            more.start();
            databases.add(more);
        }
        return new SeveralDatabases(stack, databases);
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
    public Database createDatabase(String name) {
        return stack.createDatabase(name);
    }

    @Override
    public List<Database> createDatabases(String name) {
        return databases.stream().map(server -> server.createDatabase(name)).toList();
    }

    @Override
    public Workspace workspace() {
        return stack.workspace();
    }
}
