package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.STORE;
import static dev.envelope.app.config.key.Key.Trait.MATTERS;
import static dev.envelope.app.config.key.Key.Trait.OF_ROWS;
import static dev.envelope.app.config.key.Relation.shorterThan;
import static dev.envelope.app.config.value.Quantities.duration;
import static dev.envelope.app.config.value.Quantities.wholeNumber;
import static dev.envelope.app.config.value.Types.flag;
import static dev.envelope.app.config.value.Types.identifier;
import static dev.envelope.app.config.value.Types.jdbcUrl;
import static dev.envelope.app.config.value.Types.oneOf;
import static dev.envelope.app.config.value.Types.secret;
import static dev.envelope.app.config.value.Types.text;

import dev.envelope.app.config.value.JdbcUrl;
import dev.envelope.app.config.value.Secret;
import dev.envelope.idempotency.store.SchemaManagement;
import java.time.Duration;

/** The settings that say where state is kept. */
public final class StoreKeys {

    static final Keys KEYS = new Keys(STORE);

    public static final Key<JdbcUrl> URL =
            KEYS.required("store.url", jdbcUrl())
                    .example("jdbc:postgresql://localhost:5432/postgres")
                    .means("The database that keeps the state.");

    public static final Key<String> USER =
            KEYS.add("store.user", text())
                    .example("envelope")
                    .is(MATTERS)
                    .means(
                            "The role that writes rows; with store.migrator.user it needs"
                                    + " no right to create tables. Without it the driver uses the name"
                                    + " of the system's user.");

    public static final Key<Secret> PASSWORD =
            KEYS.add("store.password", secret())
                    .example("${env:STORE_PASSWORD}")
                    .is(MATTERS)
                    .means("The password of store.user.");

    public static final Key<String> MIGRATOR_USER =
            KEYS.add("store.migrator.user", text())
                    .example("envelope_owner")
                    .means(
                            "The role that owns the schema and creates its tables; without"
                                    + " it store.user does.");

    public static final Key<Secret> MIGRATOR_PASSWORD =
            KEYS.add("store.migrator.password", secret())
                    .example("${file:/etc/envelope/secrets.properties:migrator}")
                    .means("The password of store.migrator.user.");

    public static final Key<String> SCHEMA =
            KEYS.add("store.schema", identifier())
                    .orElse("application.id in lower case, other characters as _")
                    .example("balances")
                    .means(
                            "The schema of this application's tables; each application"
                                    + " needs its own.");

    public static final Key<Integer> SLOTS =
            KEYS.add("store.slots", wholeNumber(1, 256), "1")
                    .is(OF_ROWS)
                    .raiseIf("the rows are to be in several databases, now or later")
                    .means(
                            "How many parts the rows are divided into, by their keys. Each is a schema"
                                    + " of its own: store.schema with _00, _01 and so on. The first"
                                    + " start stores it. A divisor of the number of partitions is best:"
                                    + " then each partition is in one slot, where producers use Kafka's"
                                    + " default partitioner.");

    public static final Key<SchemaManagement> SCHEMA_MANAGEMENT =
            KEYS.add("store.schema.management", oneOf(SchemaManagement.class), "auto")
                    .means(
                            "Whether the tables are created and brought up to date at start (auto),"
                                    + " only compared (validate), or not looked at (none).");

    public static final Key<Integer> CONNECTIONS =
            KEYS.add("store.connections", wholeNumber(1, 100), "4")
                    .raiseIf("workers wait for connections and the database has idle cores")
                    .lowerIf("the server's max_connections is short")
                    .means(
                            "How many connections load and save rows; the process opens four more,"
                                    + " for checkpoints, for outputs, and for rows that somebody has"
                                    + " locked. With dedupe=store: how many calls of the handler may be"
                                    + " under way, as many as there are workers if it is not set, but"
                                    + " not more than 50; the process opens two more.");

    public static final Key<Duration> LOCK_TIMEOUT =
            KEYS.add("store.lock.timeout", duration("10ms", "1m"), "500ms")
                    .raiseIf("others lock rows for longer by design")
                    .lowerIf("a locked row must not hold up its batch")
                    .must(shorterThan(() -> StoreKeys.STATEMENT_TIMEOUT))
                    .must(
                            new Relation<>(
                                    "be at most half of",
                                    () -> OperationKeys.REVOKE_DRAIN_TIMEOUT,
                                    (lock, revoke) -> lock.multipliedBy(2).compareTo(revoke) <= 0))
                    .means(
                            "How long a statement waits for a row that another session has"
                                    + " locked.");

    public static final Key<Duration> STATEMENT_TIMEOUT =
            KEYS.add("store.statement.timeout", duration("100ms", "10m"), "10s")
                    .raiseIf("the database is slow, but answers")
                    .must(shorterThan(() -> StoreKeys.SOCKET_TIMEOUT))
                    .means("How long a statement may run before the server ends it.");

    public static final Key<Duration> SOCKET_TIMEOUT =
            KEYS.add("store.socket.timeout", duration("1s", "10m"), "15s")
                    .means(
                            "How long the driver waits for a server that does not answer;"
                                    + " must be longer than store.statement.timeout.");

    public static final Key<Boolean> INSECURE_TRANSPORT =
            KEYS.add("store.insecure.transport", flag(), "false")
                    .means(
                            "Whether store.url may switch encryption off (sslmode=disable) although"
                                    + " the server is another machine.");

    public static final Key<Duration> DELETED_KEYS_RETENTION =
            KEYS.add("deleted.keys.retention", duration("1h", "3650d"), "30d")
                    .is(OF_ROWS)
                    .raiseIf(
                            "producers repeat events, or processes can be suspended, for longer than"
                                    + " this")
                    .lowerIf("many keys are deleted and their rows are to go sooner")
                    .means(
                            "How long the row of a deleted key stays after its last write;"
                                    + " it holds nothing but marks. Then it is purged in the"
                                    + " background, by one process at a time.");

    public static final Key<Duration> AUDIT_RETENTION =
            KEYS.add("audit.retention", duration("1d", "36500d"), "400d")
                    .is(OF_ROWS)
                    .example("90d")
                    .means(
                            "How long records of operators' requests are kept (envelope"
                                    + " audit), from when a request was done.");

    private StoreKeys() {}
}
