package dev.envelope.app.commands;

import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** What is asked of one key's row, and the settings that say where it is. Threads: one thread. */
final class KeyRequest {

    @Mixin private ConfigOptions config = new ConfigOptions();

    @Mixin private JsonOption json = new JsonOption();

    @Parameters(index = "0", paramLabel = "KEY", description = "The row's key.")
    private String key = "";

    /** Writes a request down, and returns its number. */
    interface Question {

        /** Empty if there is no such row. */
        Optional<Long> ask(RequestCatalog catalog, String key, String by);
    }

    /**
     * Asks, and waits for the answer.
     *
     * @param version of which the row has to be; null for any
     * @return the code to exit with
     */
    int run(Terminal terminal, @Nullable Long version, Question question) {
        String nothing =
                "%s has no row%s"
                        .formatted(
                                Words.quote(key), version == null ? "" : " of version " + version);
        return new RequestDialog(terminal, json)
                .run(config, (catalog, by) -> question.ask(catalog, key, by), nothing);
    }
}
