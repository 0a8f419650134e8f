package dev.envelope.app.database;

import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.StoreDivision;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.database.SlotDatabase.Presence;
import dev.envelope.idempotency.store.postgres.place.SlotSite;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings.Login;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings.Timeouts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes the store's settings from those of the process. */
final class StoreWiring {

    private StoreWiring() {}

    /**
     * The schemas, as the process uses them, by the numbers of their slots.
     *
     * @param instance the name of this process, for {@code parked} and the server's session list
     * @param presence of each of them
     * @throws InvalidConfigException if the store refuses what the settings say
     */
    static List<SlotDatabase> slots(
            Settings settings,
            StoreDivision division,
            String instance,
            IntFunction<Presence> presence) {
        SortedMap<Integer, SlotDatabase> slots = new TreeMap<>();
        for (StoreDivision.Place place : division.places()) {
            for (int slot : place.slots()) {
                String schema = division.schemaOf(settings.get(StoreKeys.SCHEMA), slot);
                slots.put(
                        slot,
                        new SlotDatabase(
                                of(settings, place.url().url(), schema, instance),
                                settings.get(StoreKeys.SCHEMA_MANAGEMENT),
                                owner(settings),
                                presence.apply(slot)));
            }
        }
        return List.copyOf(slots.values());
    }

    /** The databases that may have slots; nothing is connected yet. */
    static Map<String, SlotSite> sites(Settings settings, StoreDivision division, String instance) {
        Map<String, SlotSite> sites = new LinkedHashMap<>();
        for (StoreDivision.Place place : division.places()) {
            String schema = settings.get(StoreKeys.SCHEMA);
            sites.put(
                    place.name(),
                    new SlotSite(
                            place.name(),
                            of(settings, place.url().url(), schema, instance),
                            owner(settings)));
        }
        return sites;
    }

    private static PostgresSettings of(
            Settings settings, String url, String schema, String instance) {
        try {
            return new PostgresSettings(
                    url,
                    new Login(
                            settings.find(StoreKeys.USER).orElseGet(StoreWiring::systemUser),
                            password(settings, StoreKeys.PASSWORD)),
                    schema,
                    settings.get(ReadKeys.APPLICATION_ID),
                    instance,
                    settings.connections(),
                    timeouts(settings));
        } catch (IllegalArgumentException e) {
            ProblemCollector problems = new ProblemCollector();
            problems.error(
                    settings.origin(StoreKeys.URL),
                    "store",
                    "is not accepted: " + String.valueOf(e.getMessage()));
            throw new InvalidConfigException(problems.problems());
        }
    }

    /** The owner of the schema, if one is named: the migrator logs in as that. */
    private static @Nullable Login owner(Settings settings) {
        return settings.find(StoreKeys.MIGRATOR_USER)
                .map(user -> new Login(user, password(settings, StoreKeys.MIGRATOR_PASSWORD)))
                .orElse(null);
    }

    private static @Nullable Supplier<char[]> password(Settings settings, Key<Secret> key) {
        return settings.find(key)
                .<Supplier<char[]>>map(secret -> () -> secret.reveal().toCharArray())
                .orElse(null);
    }

    private static Timeouts timeouts(Settings settings) {
        return new Timeouts(
                Timeouts.DEFAULT.connect(),
                Timeouts.DEFAULT.borrow(),
                settings.get(StoreKeys.LOCK_TIMEOUT),
                settings.get(StoreKeys.STATEMENT_TIMEOUT),
                settings.get(StoreKeys.SOCKET_TIMEOUT),
                Timeouts.DEFAULT.idleInTransaction());
    }

    /** The user that the driver itself would take. */
    private static String systemUser() {
        return System.getProperty("user.name", "envelope");
    }
}
