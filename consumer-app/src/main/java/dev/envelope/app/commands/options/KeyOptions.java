package dev.envelope.app.commands.options;

import picocli.CommandLine.Parameters;

/** The options of commands that ask for something to be done with a key. Threads: one thread. */
public final class KeyOptions extends RequestOptions {

    @Parameters(index = "0", paramLabel = "KEY", description = "The row's key.")
    private String key = "";

    public String key() {
        return key;
    }
}
