package dev.envelope.app.commands.remote;

import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What operators hold back. Threads: one thread. */
@Command(
        name = "paused",
        header = "The keys and partitions that are paused, by whom and until when.",
        footer = {
            "  envelope paused -c consumer.properties",
            "",
            "Asks the database or, with --url, a process. What all are paused by is of one",
            "process: envelope status. Exit codes: 0 done, 69 no answer."
        })
public final class PausedCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin private RemoteOptions options = new RemoteOptions();

    public PausedCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return new Holding(terminal, options).list();
    }
}
