package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.STORE;

import dev.envelope.app.config.value.JdbcUrl;
import dev.envelope.app.config.value.Quantities;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.config.value.Types;
import dev.envelope.idempotency.store.SchemaManagement;
import java.time.Duration;
import java.util.List;

/**
 * The settings that say where state is kept.
 *
 * <p>Threads: stateless.
 */
public final class StoreKeys {

    public static final Key<JdbcUrl> URL =
            Key.named("store.url", Types.jdbcUrl())
                    .required()
                    .example("jdbc:postgresql://localhost:5432/postgres")
                    .means(STORE, "The database that keeps the state.");

    public static final Key<String> USER =
            Key.named("store.user", Types.text())
                    .example("envelope")
                    .matters()
                    .means(
                            STORE,
                            "Who writes rows; needs no right to create tables when a migrator is"
                                    + " set. Without it the driver takes the name of the system's"
                                    + " user.");

    public static final Key<Secret> PASSWORD =
            Key.named("store.password", Types.secret())
                    .example("${env:STORE_PASSWORD}")
                    .matters()
                    .means(STORE, "The password of store.user.");

    public static final Key<String> MIGRATOR_USER =
            Key.named("store.migrator.user", Types.text())
                    .example("envelope_owner")
                    .means(
                            STORE,
                            "Who owns the schema and creates its tables; without it store.user"
                                    + " does.");

    public static final Key<Secret> MIGRATOR_PASSWORD =
            Key.named("store.migrator.password", Types.secret())
                    .example("${file:/etc/envelope/secrets.properties:migrator}")
                    .means(STORE, "The password of store.migrator.user.");

    public static final Key<String> SCHEMA =
            Key.named("store.schema", Types.identifier())
                    .orElseDerived("application.id in lower case, other characters as _")
                    .example("balances")
                    .means(
                            STORE,
                            "The schema that holds this application's tables, and no other's.");

    public static final Key<SchemaManagement> SCHEMA_MANAGEMENT =
            Key.named("store.schema.management", Types.oneOf(SchemaManagement.class))
                    .orElse("auto")
                    .means(
                            STORE,
                            "Whether the tables are created and brought up to date at start (auto),"
                                    + " only compared (validate), or not looked at (none).");

    public static final Key<Integer> CONNECTIONS =
            Key.named("store.connections", Quantities.wholeNumber(1, 100))
                    .orElse("4")
                    .raiseIf("workers wait for connections and the database has idle cores")
                    .lowerIf("the server's max_connections is short")
                    .means(
                            STORE,
                            "How many connections load and save rows; the process opens three more,"
                                    + " for checkpoints and for rows that somebody has locked.");

    public static final Key<Duration> LOCK_TIMEOUT =
            Key.named("store.lock.timeout", Quantities.duration("10ms", "1m"))
                    .orElse("500ms")
                    .raiseIf("others lock rows for longer by design")
                    .lowerIf("a locked row must not hold up its batch")
                    .means(
                            STORE,
                            "How long a statement waits for a row that somebody else has locked.");

    public static final Key<Duration> STATEMENT_TIMEOUT =
            Key.named("store.statement.timeout", Quantities.duration("100ms", "10m"))
                    .orElse("10s")
                    .raiseIf("the database is slow, but answers")
                    .means(STORE, "How long a statement may run before the server ends it.");

    public static final Key<Duration> SOCKET_TIMEOUT =
            Key.named("store.socket.timeout", Quantities.duration("1s", "10m"))
                    .orElse("15s")
                    .means(
                            STORE,
                            "How long the driver waits for a server that has fallen silent; must be"
                                    + " longer than store.statement.timeout.");

    public static final Key<Boolean> INSECURE_TRANSPORT =
            Key.named("store.insecure.transport", Types.flag())
                    .orElse("false")
                    .means(
                            STORE,
                            "Whether store.url may switch encryption off (sslmode=disable) although"
                                    + " the server is another machine.");

    public static final Key<Duration> DELETED_KEYS_RETENTION =
            Key.named("deleted.keys.retention", Quantities.duration("1h", "3650d"))
                    .orElse("30d")
                    .raiseIf(
                            "producers repeat events, or processes can be suspended, for longer than"
                                    + " this")
                    .lowerIf("many keys are deleted and their rows are to go sooner")
                    .means(
                            STORE,
                            "How long the row of a deleted key, which holds nothing but what was"
                                    + " applied to it, stays after its last write; then it is"
                                    + " purged, by one process at a time, in the background.");

    public static final Key<Duration> AUDIT_RETENTION =
            Key.named("audit.retention", Quantities.duration("1d", "36500d"))
                    .orElse("400d")
                    .example("90d")
                    .means(
                            STORE,
                            "How long it is known who has asked for what (envelope audit), beginning"
                                    + " when that was done.");

    static final List<Key<?>> ALL =
            List.of(
                    URL,
                    USER,
                    PASSWORD,
                    MIGRATOR_USER,
                    MIGRATOR_PASSWORD,
                    SCHEMA,
                    SCHEMA_MANAGEMENT,
                    CONNECTIONS,
                    LOCK_TIMEOUT,
                    STATEMENT_TIMEOUT,
                    SOCKET_TIMEOUT,
                    INSECURE_TRANSPORT,
                    DELETED_KEYS_RETENTION,
                    AUDIT_RETENTION);

    private StoreKeys() {}
}
