package dev.envelope.app.database;

import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.GatewayKeys;
import dev.envelope.app.config.key.OutputKeys;
import dev.envelope.app.config.key.SlotKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.key.WorkKeys;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.start.DatabaseCheck;
import dev.envelope.app.start.ServerCheck;
import dev.envelope.idempotency.store.SchemaManagement;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.pin.PinStore;
import dev.envelope.idempotency.store.postgres.InstanceName;
import dev.envelope.idempotency.store.postgres.InstanceName.Feature;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.PostgresWorkStore;
import dev.envelope.idempotency.store.postgres.operator.OperatorConnections;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.schema.Pins;
import dev.envelope.idempotency.store.postgres.schema.Preflight;
import dev.envelope.idempotency.store.postgres.schema.StoredStates;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.table.TablePreflight;
import dev.envelope.idempotency.store.table.TableSettings;
import dev.envelope.idempotency.work.WorkStore;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The database that the settings name, and what the program does with it. */
public final class ApplicationDatabase {

    private final PostgresSettings database;
    private final SchemaManagement management;
    private final Set<Feature> features;
    private final Migrator migrator;
    private final @Nullable TableSettings table; // null where topics are read
    private final int slots;
    private final boolean hasRows;

    private ApplicationDatabase(Settings settings, PostgresSettings database) {
        this.database = database;
        this.management = settings.get(StoreKeys.SCHEMA_MANAGEMENT);
        this.migrator = StoreWiring.migrator(settings, database);
        this.features = features(settings);
        this.table = settings.isOfTable() ? TableWiring.of(settings) : null;
        this.hasRows = settings.get(WorkKeys.MODE) == WorkKeys.Mode.ROWS;
        this.slots = settings.find(SlotKeys.SLOTS).orElse(1);
    }

    /** What these settings use that no older program may run beside. */
    static Set<Feature> features(Settings settings) {
        Set<Feature> features = EnumSet.noneOf(Feature.class);
        if (settings.get(OutputKeys.TIMERS)) {
            features.add(Feature.TIMERS);
        }
        if (settings.get(GatewayKeys.LISTEN).isPresent()) {
            features.add(Feature.COMMANDS);
        }
        return features;
    }

    /**
     * The database of these settings; nothing is connected yet.
     *
     * @param instance the name of this process, for {@code parked} and the server's session list
     * @throws InvalidConfigException if the store refuses what the settings say
     */
    public static ApplicationDatabase of(Settings settings, String instance) {
        if (!settings.hasStore()) {
            ProblemCollector problems = new ProblemCollector();
            problems.error(
                    settings.origin(WorkKeys.MODE),
                    "mode = work",
                    "keeps nothing in a database: there is none to ask or to change",
                    "ask the process itself: envelope status, envelope stuck");
            throw new InvalidConfigException(problems.problems());
        }
        return new ApplicationDatabase(settings, StoreWiring.of(settings, instance));
    }

    /** Opens the store: the rows and the other tables. */
    public Store open(String startId) {
        return PostgresStore.open(database, startId, table);
    }

    /**
     * Opens it for a handler that writes what it likes.
     *
     * @param longestCall of the handler
     */
    public WorkStore openForWork(Duration longestCall) {
        return PostgresWorkStore.open(database, longestCall);
    }

    /** Opens the operators' view of it, on connections of its own. */
    public OperatorStore operators() {
        OperatorStore all = new OperatorConnections(database, System::nanoTime);
        return hasRows ? all : WithoutRows.of(all);
    }

    /** The settings that are pinned. */
    public PinStore pins() {
        return new Pins(database);
    }

    /** Whether it has no rows, or no tables yet. */
    public boolean isUnused() {
        return new Preflight(database, management).isUnused();
    }

    /** Some of the stored states. */
    public List<byte[]> someStates() {
        return StoredStates.some(database);
    }

    /** The check before a start, which may create the tables, and claims the instance's name. */
    public ServerCheck beforeStart(String startId) {
        return check(this::migrate, new InstanceName(database, startId, features)::claim);
    }

    /** The same check without effects: the migration is rolled back, and no name is claimed. */
    public ServerCheck asking() {
        return check(migrator::rehearse, () -> {});
    }

    /** The check that creates the tables, or brings them up to date. */
    public ServerCheck migration() {
        return new PostgresCheck(
                new Preflight(database, SchemaManagement.VALIDATE), this::migrate, () -> {});
    }

    /** The check of the table that is read. */
    public ServerCheck table() {
        TablePreflight preflight =
                new TablePreflight(database, Objects.requireNonNull(table), slots);
        DatabaseCheck check = () -> PostgresCheck.verdict(preflight.problems());
        return check;
    }

    private ServerCheck check(BooleanSupplier migration, Runnable claim) {
        return new PostgresCheck(
                new Preflight(database, management),
                management == SchemaManagement.AUTO ? migration : () -> true,
                claim);
    }

    private boolean migrate() {
        migrator.migrate();
        return true;
    }

    /** What the migration would do in an empty database, as SQL. */
    public String migrationScript() {
        return migrator.script();
    }
}
