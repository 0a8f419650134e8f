package dev.envelope.app.commands;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Lets a shell complete the program's commands. Threads: one thread. */
@Command(
        name = "completion",
        header = "Print what lets bash and zsh complete commands and options.",
        footer = {
            "  source <(envelope completion)",
            "  envelope completion > /etc/bash_completion.d/envelope"
        })
final class CompletionCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Spec private @Nullable CommandSpec spec;

    CompletionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (spec != null) {
            terminal.out().print(AutoComplete.bash("envelope", spec.root().commandLine()));
            terminal.out().flush();
        }
        return ExitCode.OK;
    }
}
