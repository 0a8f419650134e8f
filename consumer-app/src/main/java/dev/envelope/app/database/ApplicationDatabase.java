package dev.envelope.app.database;

import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Settings;
import dev.envelope.app.start.ServerCheck;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.pin.PinStore;
import dev.envelope.idempotency.store.postgres.InstanceName;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.operator.OperatorConnections;
import dev.envelope.idempotency.store.postgres.schema.Pins;
import dev.envelope.idempotency.store.postgres.schema.Preflight;
import dev.envelope.idempotency.store.postgres.schema.StoredStates;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.util.List;

/**
 * The database that the settings name, and all that the program does with it.
 *
 * <p>Threads: immutable.
 */
public final class ApplicationDatabase {

    private final Settings settings;
    private final PostgresSettings database;

    private ApplicationDatabase(Settings settings, PostgresSettings database) {
        this.settings = settings;
        this.database = database;
    }

    /**
     * Nothing is connected yet.
     *
     * @param instance the name of this process, for {@code parked} and the server's session list
     * @throws InvalidConfigException if the store refuses what the settings say
     */
    public static ApplicationDatabase of(Settings settings, String instance) {
        return new ApplicationDatabase(settings, StoreWiring.of(settings, instance));
    }

    /** The rows, and all that is kept beside them. */
    public Store open(String startId) {
        return PostgresStore.open(database, startId);
    }

    /** The same for operators, on connections of its own. */
    public OperatorStore operators() {
        return new OperatorConnections(database, System::nanoTime);
    }

    /** What is written down of the settings. */
    public PinStore pins() {
        return new Pins(database);
    }

    /** Whether it has no rows, and no tables perhaps. */
    public boolean isUnused() {
        return new Preflight(database, StoreWiring.management(settings)).isUnused();
    }

    /** Some of the stored states. */
    public List<byte[]> someStates() {
        return StoredStates.some(database);
    }

    /** The check of a start, which may make the tables, and takes the instance's name. */
    public ServerCheck beforeStart(String startId) {
        return PostgresCheck.beforeStart(
                database,
                StoreWiring.management(settings),
                StoreWiring.migrator(settings, database),
                new InstanceName(database, startId)::claim);
    }

    /** The same check, of somebody who only asks. */
    public ServerCheck asking() {
        return PostgresCheck.asking(
                database,
                StoreWiring.management(settings),
                StoreWiring.migrator(settings, database));
    }

    /** The check that makes the tables, or brings them up to date. */
    public ServerCheck migration() {
        return PostgresCheck.beforeMigration(database, StoreWiring.migrator(settings, database));
    }

    /** What that would do in an empty database, as SQL. */
    public String migrationScript() {
        return StoreWiring.migrator(settings, database).script();
    }
}
