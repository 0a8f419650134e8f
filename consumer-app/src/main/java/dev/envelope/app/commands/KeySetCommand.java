package dev.envelope.app.commands;

import dev.envelope.app.terminal.Terminal;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Replaces the state of a key. Threads: one thread. */
@Command(
        name = "set",
        header = "Replace a key's state: a repair, by compare-and-set.",
        footer = {
            "  envelope key set account-7 '{\"balance\": 12}' -c consumer.properties",
            "  envelope key set account-7 @state.json --version 8 -c consumer.properties",
            "",
            "Whoever runs the application carries it out, if the row is still at that",
            "version: what came in since is not overwritten. Its marks stay, so no message",
            "is applied again. Exit codes: 0 done, 1 not done or waiting, 69 no database."
        })
final class KeySetCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Spec private @Nullable CommandSpec spec;

    @Mixin private KeyRequest request = new KeyRequest();

    @Parameters(index = "1", paramLabel = "STATE", description = "JSON, " + FileOrText.DESCRIBED)
    private String state = "";

    @Option(
            names = "--version",
            paramLabel = "N",
            description = "The row's version that you have looked at.")
    private @Nullable Long version;

    KeySetCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        byte[] bytes = FileOrText.read(Objects.requireNonNull(spec).commandLine(), state);
        String json = new String(bytes, StandardCharsets.UTF_8);
        return request.run(
                terminal, version, (catalog, key, by) -> catalog.askToSet(key, json, version, by));
    }
}
