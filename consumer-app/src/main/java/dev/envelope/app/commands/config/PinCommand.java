package dev.envelope.app.commands.config;

import dev.envelope.app.commands.options.DatabaseOptions;
import dev.envelope.app.config.Settings;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.process.Instance;
import dev.envelope.app.start.RefusedStartException;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.app.wiring.PinWiring;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.pin.Pin;
import dev.envelope.idempotency.store.pin.PinMismatch;
import dev.envelope.idempotency.store.pin.PinStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/**
 * Shows the pins in the database, and replaces them by the values of the file. Threads: one thread.
 */
@Command(
        name = "pin",
        header = "Settings that must not change: look, confirm those of the file.",
        footer = {
            "  envelope pin -c consumer.properties",
            "  envelope pin key.format -c consumer.properties --yes",
            "",
            "A start is refused with other settings than those that made the rows. --yes",
            "writes down those of the file, and what they replace: stop every process first,",
            "or they go on with what they have.",
            "Exit codes: 0 they agree, 1 they do not, 69 no database, 78 no tables."
        })
public final class PinCommand implements Callable<Integer> {

    private static final int THEY_DIFFER = 1;

    @Mixin private DatabaseOptions database = new DatabaseOptions();

    @Parameters(paramLabel = "NAME", arity = "0..*", description = "Only these; all if left out.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--yes", description = "Write down what the file says.")
    private boolean confirmed;

    @Override
    public Integer call() {
        Settings settings = database.load();
        SortedMap<String, String> values = chosen(PinWiring.values(settings));
        PinStore pins = ApplicationDatabase.of(settings, Instance.name()).pins();
        try {
            if (confirmed) {
                pins.confirm(values);
            }
            return show(pins.stored(), values, pins.compare(values));
        } catch (RefusedException e) {
            throw new RefusedStartException(List.of(String.valueOf(e.getMessage())));
        } catch (UnavailableException e) {
            throw new UnreachableException(String.valueOf(e.getMessage()));
        }
    }

    private SortedMap<String, String> chosen(SortedMap<String, String> all) {
        SortedMap<String, String> values = new TreeMap<>(all);
        for (String name : names) {
            if (!all.containsKey(name)) {
                throw database.misuse("the file pins no " + name + ", but " + all.keySet());
            }
        }
        if (!names.isEmpty()) {
            values.keySet().retainAll(names);
        }
        return values;
    }

    private int show(
            SortedMap<String, Pin> stored,
            SortedMap<String, String> values,
            List<PinMismatch> mismatches) {
        Map<String, PinMismatch> open =
                mismatches.stream()
                        .collect(Collectors.toMap(PinMismatch::name, Function.identity()));
        TreeSet<String> all = new TreeSet<>(values.keySet());
        all.removeIf(name -> PinStore.UNSET.equals(values.get(name)) && !stored.containsKey(name));
        if (names.isEmpty()) {
            all.addAll(stored.keySet());
        }
        List<Map<String, Object>> pins =
                all.stream()
                        .map(it -> document(it, values.get(it), stored.get(it), open.get(it)))
                        .toList();
        database.print(
                Map.of("pins", pins),
                json ->
                        json.at("/pins")
                                .forEach(it -> print(it, open.get(it.at("/name").asString()))));
        return mismatches.isEmpty() ? ExitCode.OK : THEY_DIFFER;
    }

    private static Map<String, Object> document(
            String name,
            @Nullable String configured,
            @Nullable Pin pin,
            @Nullable PinMismatch mismatch) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("name", name);
        document.put("configured", PinStore.UNSET.equals(configured) ? null : configured);
        if (pin != null) {
            document.put("stored", pin.value());
            document.put("since", pin.since());
            document.put("by", pin.by());
            document.put("formerly", pin.formerly());
        }
        document.put("agrees", mismatch == null);
        document.put("reason", mismatch == null ? null : mismatch.reason());
        document.values().removeIf(Objects::isNull);
        return document;
    }

    private void print(JsonNode pin, @Nullable PinMismatch mismatch) {
        String was = pin.has("formerly") ? ", was {formerly|line}" : "";
        database.fill(
                pin.has("stored")
                        ? "{name}={stored|line}  pinned {since} by {by|line}" + was
                        : "{name}={configured|line}  not pinned yet",
                pin);
        if (mismatch != null) {
            database.say("  %s", mismatch.sentence(PinWiring.remedy(mismatch)));
        }
    }
}
