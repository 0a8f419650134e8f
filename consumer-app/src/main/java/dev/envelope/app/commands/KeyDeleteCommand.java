package dev.envelope.app.commands;

import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Deletes what is kept of a key. Threads: one thread. */
@Command(
        name = "delete",
        header = "Delete a key's state, its event ids and its parked messages.",
        footer = {
            "  envelope key delete account-7 -c consumer.properties",
            "  envelope key delete account-7 --version 8 -c consumer.properties",
            "",
            "Whoever runs the application carries it out; with --version, if the row is",
            "still at that. The row keeps the key and its marks, so that no message is",
            "applied again, and goes after deleted.keys.retention. What the topic holds is",
            "yours to delete. Exit codes: 0 done, 1 not done or waiting, 69 no database."
        })
final class KeyDeleteCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin private KeyRequest request = new KeyRequest();

    @Option(
            names = "--version",
            paramLabel = "N",
            description = "The row's version that you have looked at.")
    private @Nullable Long version;

    KeyDeleteCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return request.run(
                terminal, version, (catalog, key, by) -> catalog.askToDelete(key, version, by));
    }
}
