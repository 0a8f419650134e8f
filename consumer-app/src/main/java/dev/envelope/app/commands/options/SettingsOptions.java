package dev.envelope.app.commands.options;

import dev.envelope.app.config.ConfigLoader;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.process.Instance;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.operator.Catalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** The options of commands that may read settings. Threads: one thread, the one that parses. */
public abstract class SettingsOptions extends Output {

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Set or replace one setting; may be repeated.")
    private List<String> flags = new ArrayList<>();

    /** The settings of this file, with what takes precedence over it. */
    protected final Settings load(Path file) {
        return new ConfigLoader(Surroundings.ofThisProcess()).load(file, flags);
    }

    /** The settings of the file, with what takes precedence over it. */
    public abstract Settings load();

    /**
     * Connects to the database that the settings name, opens one of its catalogs, and calls {@code
     * work} with it.
     *
     * @throws UnreachableException if the database can't be used
     */
    public final <C extends Catalog, T> T inDatabase(
            Function<OperatorStore, C> open, Function<C, T> work) {
        try (OperatorStore store = ApplicationDatabase.of(load(), Instance.name()).operators();
                C catalog = open.apply(store)) {
            return work.apply(catalog);
        } catch (UnavailableException e) {
            throw new UnreachableException(String.valueOf(e.getMessage()));
        }
    }
}
