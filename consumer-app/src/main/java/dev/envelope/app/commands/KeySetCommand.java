package dev.envelope.app.commands;

import dev.envelope.app.terminal.Terminal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
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

    @Parameters(index = "1", paramLabel = "STATE", description = "JSON, or @ and a file's name.")
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
        String json = state.startsWith("@") ? read(Path.of(state.substring(1))) : state;
        return request.run(
                terminal, version, (catalog, key, by) -> catalog.askToSet(key, json, version, by));
    }

    private String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), file + " can't be read", e);
        }
    }
}
