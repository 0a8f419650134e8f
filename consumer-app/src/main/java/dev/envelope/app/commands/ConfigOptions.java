package dev.envelope.app.commands;

import dev.envelope.app.config.ConfigLoader;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.Surroundings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of every command that reads settings. Threads: one thread, the one that parses. */
final class ConfigOptions {

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

    Settings load() {
        return new ConfigLoader(Surroundings.ofThisProcess()).load(file, flags);
    }
}
