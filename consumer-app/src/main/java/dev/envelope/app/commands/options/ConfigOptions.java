package dev.envelope.app.commands.options;

import dev.envelope.app.config.Settings;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options of every command that reads settings. Threads: one thread, the one that parses. */
public class ConfigOptions extends SettingsOptions {

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            required = true,
            description = "The properties file.")
    private Path file = Path.of("");

    @Override
    public final Settings load() {
        return load(file);
    }
}
