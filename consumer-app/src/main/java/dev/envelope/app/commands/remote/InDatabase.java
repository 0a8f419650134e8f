package dev.envelope.app.commands.remote;

import dev.envelope.app.config.Settings;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.process.Instance;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.operator.OperatorStore;
import java.util.function.Function;

/** What a command does in the database that the settings name. Threads: stateless. */
public final class InDatabase {

    private InDatabase() {}

    /**
     * Connects, and does it.
     *
     * @throws UnreachableException if the database can't be used
     */
    public static <T> T work(Settings settings, Function<OperatorStore, T> work) {
        try (OperatorStore store = ApplicationDatabase.of(settings, Instance.name()).operators()) {
            return work.apply(store);
        } catch (UnavailableException e) {
            throw new UnreachableException(String.valueOf(e.getMessage()));
        }
    }
}
