package dev.envelope.app.commands.options;

import picocli.CommandLine.Option;

/** The options of commands whose answer comes from the database. Threads: one thread. */
public class DatabaseOptions extends ConfigOptions {

    @Option(names = "--json", description = "Print the answer as JSON.")
    private boolean json;

    @Override
    public final boolean isJson() {
        return json;
    }
}
