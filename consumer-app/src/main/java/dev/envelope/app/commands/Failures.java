package dev.envelope.app.commands;

import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.start.RefusedStartException;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.app.terminal.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Prints why a command failed, and chooses the exit code. */
final class Failures implements IExecutionExceptionHandler {

    private final Terminal terminal;

    Failures(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine line, ParseResult parsed) {
        if (e instanceof InvalidConfigException invalid) {
            terminal.err().print(invalid.problems().render());
            terminal.err().flush();
            return ExitCode.CONFIG;
        } else if (e instanceof RefusedStartException refused) {
            refused.sentences().forEach(sentence -> say(sentence));
            return ExitCode.CONFIG;
        } else if (e instanceof UnreachableException) {
            say(String.valueOf(e.getMessage()));
            return ExitCode.UNAVAILABLE;
        }
        say("an error of the program; please report it with what follows");
        e.printStackTrace(terminal.err());
        return ExitCode.INTERNAL;
    }

    private void say(String sentence) {
        terminal.err().println("envelope: " + sentence);
    }
}
