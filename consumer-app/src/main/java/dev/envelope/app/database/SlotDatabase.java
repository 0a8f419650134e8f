package dev.envelope.app.database;

import dev.envelope.app.start.DatabaseCheck;
import dev.envelope.idempotency.store.SchemaManagement;
import dev.envelope.idempotency.store.postgres.InstanceName;
import dev.envelope.idempotency.store.postgres.InstanceName.Feature;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.schema.Preflight;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One schema, and what a start does about it.
 *
 * @param owner logs in for migrations; null if the worker itself does
 * @param presence whether it is there
 */
record SlotDatabase(
        PostgresSettings settings,
        SchemaManagement management,
        PostgresSettings.@Nullable Login owner,
        Presence presence) {

    /** What is known of a schema before it is used. */
    enum Presence {
        /** It is made if it is missing. */
        WANTED,
        /** It is there. */
        FOUND,
        /** Its slot is being moved, or its place is away. */
        LEFT
    }

    /** Another schema in the same database. */
    SlotDatabase of(String schema) {
        return new SlotDatabase(settings.withSchema(schema), management, owner, Presence.WANTED);
    }

    /** Whether it can be asked. */
    boolean isPresent() {
        return presence != Presence.LEFT;
    }

    /** Tells it from others. */
    String text() {
        return settings.url() + " " + settings.schema() + " " + presence;
    }

    boolean isUnused() {
        return new Preflight(settings, management).isUnused();
    }

    boolean isOnWorker() {
        return new Preflight(settings, management).isOnWorker();
    }

    DatabaseCheck beforeStart(String startId, Set<Feature> features) {
        return check(this::migrate, new InstanceName(settings, startId, features)::claim);
    }

    DatabaseCheck asking() {
        return check(migrator()::rehearse, () -> {});
    }

    DatabaseCheck migration() {
        return new PostgresCheck(
                new Preflight(settings, SchemaManagement.VALIDATE), this::migrate, () -> {});
    }

    private DatabaseCheck check(BooleanSupplier migration, Runnable claim) {
        return new PostgresCheck(
                new Preflight(settings, management),
                management == SchemaManagement.AUTO ? migration : () -> true,
                claim);
    }

    private Migrator migrator() {
        return new Migrator(settings, owner);
    }

    private boolean migrate() {
        if (presence == Presence.FOUND) {
            migrator().migrateExisting();
        } else {
            migrator().migrate();
        }
        return true;
    }

    String migrationScript() {
        return migrator().script();
    }
}
