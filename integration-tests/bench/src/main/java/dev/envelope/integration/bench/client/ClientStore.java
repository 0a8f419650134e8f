package dev.envelope.integration.bench.client;

import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;

/**
 * The store of ours, as the contestant uses it and as its schema is made.
 *
 * <p>Threads: immutable.
 */
public final class ClientStore {

    /** The application's default of store.connections. */
    private static final int CONNECTIONS = 4;

    private ClientStore() {}

    /** Its settings, with every default; each process is an instance of its own. */
    public static PostgresSettings settings(ClientSpec spec) {
        String password = spec.database().password();
        return new PostgresSettings(
                spec.database().url(),
                new PostgresSettings.Login(spec.database().user(), password::toCharArray),
                spec.schema(),
                spec.group(),
                "bench-" + ProcessHandle.current().pid(),
                CONNECTIONS,
                PostgresSettings.Timeouts.DEFAULT);
    }
}
