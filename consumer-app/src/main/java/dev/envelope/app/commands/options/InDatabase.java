package dev.envelope.app.commands.options;

import dev.envelope.app.config.Settings;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.process.Instance;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.operator.Catalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import java.util.function.Function;

/** What a command does in the database that the settings name. Threads: stateless. */
public final class InDatabase {

    private InDatabase() {}

    /**
     * Connects, opens one of the catalogs, and works with it.
     *
     * @throws UnreachableException if the database can't be used
     */
    public static <C extends Catalog, T> T work(
            Settings settings, Function<OperatorStore, C> open, Function<C, T> work) {
        try (OperatorStore store = ApplicationDatabase.of(settings, Instance.name()).operators();
                C catalog = open.apply(store)) {
            return work.apply(catalog);
        } catch (UnavailableException e) {
            throw new UnreachableException(String.valueOf(e.getMessage()));
        }
    }
}
