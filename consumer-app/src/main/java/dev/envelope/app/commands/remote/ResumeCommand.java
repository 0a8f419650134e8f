package dev.envelope.app.commands.remote;

import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Undoes pause. Threads: one thread. */
@Command(
        name = "resume",
        header = "Fetch a partition again that was paused, or all; let a key go on.",
        footer = {
            "  envelope resume payments-3 -c consumer.properties",
            "  envelope resume all -c consumer.properties",
            "  envelope resume --key account-7 -c consumer.properties",
            "",
            "All undoes pause all, and drain, in one process; what is paused by its name is",
            "resumed by its name, in the database (by a process with --url). One that was",
            "stopped goes on by: envelope partitions resume.",
            "Exit codes: 0 done, 1 it was not paused, 69 no answer, 78 refused."
        })
public final class ResumeCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin private RemoteOptions options = new RemoteOptions();

    @Mixin private PauseTarget target = new PauseTarget();

    public ResumeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return new Holding(terminal, options).resume(target);
    }
}
