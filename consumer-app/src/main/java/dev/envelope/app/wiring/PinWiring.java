package dev.envelope.app.wiring;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.start.KafkaCheck;
import dev.envelope.app.start.PinCheck;
import dev.envelope.core.fetch.RowKeys;
import dev.envelope.idempotency.store.postgres.PinMismatch;
import dev.envelope.idempotency.store.postgres.Pins;
import dev.envelope.idempotency.store.postgres.PostgresSettings;
import dev.envelope.idempotency.store.postgres.Preflight;
import dev.envelope.idempotency.store.postgres.RowKeyPins;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Function;

/**
 * Settings that the first start writes down and a later one must find, and their check.
 *
 * <p>Threads: stateless.
 */
public final class PinWiring {

    private PinWiring() {}

    /** Their values, by name. */
    public static SortedMap<String, String> values(Settings settings) {
        return RowKeyPins.of(
                EngineWiring.keyScope(settings),
                HandlerWiring.text(settings.get(ReadKeys.KEY_FORMAT)),
                EngineWiring.nullKeys(settings));
    }

    /** What can be done about one that does not fit. */
    public static String remedy(PinMismatch mismatch) {
        return RowKeyPins.remedy(mismatch);
    }

    /**
     * The check of a start, which writes down what is not yet.
     *
     * @param kafka has found the topics when the check is made
     */
    public static PinCheck beforeStart(
            Settings settings, PostgresSettings database, KafkaCheck kafka) {
        return check(settings, database, kafka, new Pins(database)::claim);
    }

    /** The same, which writes nothing down. */
    public static PinCheck asking(Settings settings, PostgresSettings database, KafkaCheck kafka) {
        return check(settings, database, kafka, new Pins(database)::compare);
    }

    private static PinCheck check(
            Settings settings,
            PostgresSettings database,
            KafkaCheck kafka,
            Function<SortedMap<String, String>, List<PinMismatch>> pins) {
        SortedMap<String, String> values = values(settings);
        boolean isShared = EngineWiring.keyScope(settings) == RowKeys.Scope.APPLICATION;
        return new PinCheck(
                () ->
                        pins.apply(values).stream()
                                .map(mismatch -> mismatch.sentence(remedy(mismatch)))
                                .toList(),
                new Preflight(database, StoreWiring.management(settings))::isUnused,
                isShared ? kafka::partitions : Map::of);
    }
}
