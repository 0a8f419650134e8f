package dev.envelope.app.commands.options;

import dev.envelope.app.config.ConfigLoader;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.idempotency.store.operator.Catalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** The options of every command that reads settings. Threads: one thread, the one that parses. */
public class ConfigOptions extends Output {

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            required = true,
            description = "The properties file.")
    private Path file = Path.of("");

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Set or replace one setting; may be repeated.")
    private List<String> flags = new ArrayList<>();

    /** What the file says, and whatever takes precedence over it. */
    public final Settings load() {
        return new ConfigLoader(Surroundings.ofThisProcess()).load(file, flags);
    }

    /** Does something in the database that the settings name. */
    public final <C extends Catalog, T> T inDatabase(
            Function<OperatorStore, C> open, Function<C, T> work) {
        return InDatabase.work(load(), open, work);
    }
}
