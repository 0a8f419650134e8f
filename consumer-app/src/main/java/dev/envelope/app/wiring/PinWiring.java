package dev.envelope.app.wiring;

import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.SlotKeys;
import dev.envelope.app.config.key.WorkKeys;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.database.TableWiring;
import dev.envelope.app.handlers.Handlers;
import dev.envelope.app.start.PinCheck;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.idempotency.store.pin.Pin;
import dev.envelope.idempotency.store.pin.PinMismatch;
import dev.envelope.idempotency.store.pin.PinStore;
import dev.envelope.idempotency.store.pin.RowKeyPins;
import dev.envelope.idempotency.store.pin.SlotPins;
import dev.envelope.idempotency.store.table.TableSettings;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes the pins, and their check, from the settings. */
public final class PinWiring {

    private static final String OWN_CLASS = "class";

    /** So that no handler with rows runs beside one that marks messages without them. */
    private static final String NO_ROWS = "work";

    private static final String TABLE = "table.";

    private PinWiring() {}

    /**
     * The values of all pins, by name.
     *
     * @throws InvalidConfigException if an expression can't be parsed
     */
    public static SortedMap<String, String> values(Settings settings) {
        if (settings.get(WorkKeys.MODE) == WorkKeys.Mode.WORK) {
            return new TreeMap<>(Map.of(HandlerKeys.HANDLER.name(), NO_ROWS));
        }
        SortedMap<String, String> values =
                RowKeyPins.of(
                        EngineWiring.keyScope(settings),
                        HandlerWiring.text(settings.get(ReadKeys.KEY_FORMAT)),
                        EngineWiring.nullKeys(settings));
        values.put( // a class may be renamed, or replaced by one that reads the same states
                HandlerKeys.HANDLER.name(),
                settings.get(HandlerKeys.HANDLER)
                        .match(HandlerWiring::text, className -> OWN_CLASS));
        HandlerWiring.meanings(settings)
                .forEach((name, meaning) -> values.put(Handlers.EXPRESSION + name, meaning));
        values.put(
                HandlerKeys.HANDLER_VERSION.name(),
                settings.find(HandlerKeys.HANDLER_VERSION).orElse(PinStore.UNSET));
        @Nullable SlotPlan slots = EngineWiring.slots(settings);
        values.put(
                slots(settings), slots == null ? PinStore.UNSET : Integer.toString(slots.count()));
        if (settings.isOfTable()) {
            TableSettings table = TableWiring.of(settings);
            values.put(
                    TABLE + table.table(),
                    "key %s, id %s, %s"
                            .formatted(
                                    table.key(),
                                    table.id(),
                                    table.done() == null ? "deleted" : "done " + table.done()));
        }
        return values;
    }

    private static String slots(Settings settings) {
        return SlotPins.name(settings.isOfTable() ? TableWiring.of(settings) : null);
    }

    /** Without the number of slots while it may be the former one: the slots see to it then. */
    private static SortedMap<String, String> compared(
            Settings settings, SortedMap<String, String> values, PinStore pins) {
        @Nullable SlotPlan plan = EngineWiring.slots(settings);
        @Nullable Pin stored =
                plan != null && plan.isChange() ? pins.stored().get(slots(settings)) : null;
        if (plan == null || stored == null || !isOf(plan, stored.value())) {
            return values;
        }
        SortedMap<String, String> others = new TreeMap<>(values);
        others.remove(slots(settings));
        return others;
    }

    private static boolean isOf(SlotPlan plan, String stored) {
        return stored.equals(Integer.toString(plan.count()))
                || stored.equals(Integer.toString(plan.from()));
    }

    /** The remedy for a mismatch. */
    public static String remedy(PinMismatch mismatch) {
        String name = mismatch.name();
        String begin;
        if (name.startsWith(Handlers.EXPRESSION)) {
            begin =
                    "give what is new a name of its own, which begins with each key's next message;"
                            + " or, to go on from what the rows have,";
        } else if (name.equals(HandlerKeys.HANDLER_VERSION.name())
                || name.equals(HandlerKeys.HANDLER.name())) {
            begin =
                    "run the handler that made them; or, if this one goes on rightly from what they"
                            + " have,";
        } else if (name.startsWith(TABLE)) {
            begin =
                    "rows that are done would be read again, as new: read the table as before; or, if"
                            + " none of them is left,";
        } else if (name.startsWith(SlotKeys.SLOTS.name())) {
            boolean isNumber =
                    mismatch.stored() != null && !mismatch.configured().equals(PinStore.UNSET);
            begin =
                    "two fleets that divide the work in different ways would both do it:"
                            + " run with what the others have; or, to change it"
                            + (isNumber
                                    ? " while processes run, add slots.from="
                                            + mismatch.stored()
                                            + "; or,"
                                    : ",");
        } else {
            return RowKeyPins.remedy(mismatch);
        }
        return begin + " stop every process and run envelope pin " + name + " -c FILE --yes";
    }

    /**
     * The check of the pins before a start.
     *
     * @param partitions of the topics, which were found before this check runs
     * @param asked compares the pins, and may write missing ones
     */
    public static PinCheck check(
            Settings settings,
            ApplicationDatabase database,
            Supplier<Map<String, Integer>> partitions,
            BiFunction<PinStore, SortedMap<String, String>, List<PinMismatch>> asked) {
        SortedMap<String, String> values = values(settings);
        boolean isShared = EngineWiring.keyScope(settings) == RowKeys.Scope.APPLICATION;
        return new PinCheck(
                () -> {
                    PinStore pins = database.pins(); // where the slots are by now
                    return asked.apply(pins, compared(settings, values, pins)).stream()
                            .map(mismatch -> mismatch.sentence(remedy(mismatch)))
                            .toList();
                },
                database::isUnused,
                isShared ? partitions : Map::of);
    }
}
