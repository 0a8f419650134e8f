package dev.envelope.app.commands;

import dev.envelope.app.config.Settings;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.process.Instance;
import dev.envelope.app.start.RefusedStartException;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.app.wiring.PinWiring;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.pin.Pin;
import dev.envelope.idempotency.store.pin.PinMismatch;
import dev.envelope.idempotency.store.pin.PinStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Shows what the database has written down of the settings that must not change, and writes down
 * those of the file. Threads: one thread.
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
final class PinCommand implements Callable<Integer> {

    private static final int THEY_DIFFER = 1;

    private final Terminal terminal;

    @Mixin private ConfigOptions config = new ConfigOptions();

    @Mixin private JsonOption json = new JsonOption();

    @Parameters(paramLabel = "NAME", arity = "0..*", description = "Only these; all if left out.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--yes", description = "Write down what the file says.")
    private boolean confirmed;

    @Spec private @Nullable CommandSpec spec;

    PinCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Settings settings = config.load();
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
        if (!names.isEmpty()) {
            values.keySet().retainAll(names);
            List<String> unknown = names.stream().filter(it -> !all.containsKey(it)).toList();
            if (!unknown.isEmpty() && spec != null) {
                throw new ParameterException(
                        spec.commandLine(),
                        "the file pins no " + unknown.get(0) + ", but " + all.keySet());
            }
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
        List<Map<String, Object>> documents = new ArrayList<>();
        for (String name : all) {
            Pin pin = stored.get(name);
            PinMismatch mismatch = open.get(name);
            if (json.isWanted()) {
                documents.add(document(name, values.get(name), pin, mismatch));
            } else {
                print(name, values.get(name), pin, mismatch);
            }
        }
        if (json.isWanted()) {
            JsonOption.print(terminal, Map.of("pins", documents));
        }
        return mismatches.isEmpty() ? ExitCode.OK : THEY_DIFFER;
    }

    private void print(
            String name,
            @Nullable String configured,
            @Nullable Pin pin,
            @Nullable PinMismatch mismatch) {
        String standing;
        if (pin == null) {
            standing = "not pinned yet";
        } else {
            standing =
                    "pinned %s by %s%s"
                            .formatted(
                                    pin.since(),
                                    Words.line(pin.by()),
                                    pin.formerly() == null
                                            ? ""
                                            : ", was " + Words.line(pin.formerly()));
        }
        terminal.out()
                .printf(
                        "%s=%s  %s%n",
                        name,
                        Words.line(pin == null ? String.valueOf(configured) : pin.value()),
                        standing);
        if (mismatch != null) {
            terminal.out().printf("  %s%n", mismatch.sentence(PinWiring.remedy(mismatch)));
        }
    }

    private static Map<String, Object> document(
            String name,
            @Nullable String configured,
            @Nullable Pin pin,
            @Nullable PinMismatch mismatch) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("name", name);
        if (configured != null && !configured.equals(PinStore.UNSET)) {
            document.put("configured", configured);
        }
        if (pin != null) {
            document.put("stored", pin.value());
            document.put("since", pin.since().toString());
            document.put("by", pin.by());
            if (pin.formerly() != null) {
                document.put("formerly", pin.formerly());
            }
        }
        document.put("agrees", mismatch == null);
        if (mismatch != null) {
            document.put("reason", mismatch.reason());
        }
        return document;
    }
}
