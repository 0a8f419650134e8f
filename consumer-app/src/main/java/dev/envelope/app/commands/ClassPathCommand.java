package dev.envelope.app.commands;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Says what a handler is compiled against. Threads: one thread. */
@Command(
        name = "classpath",
        header = "Print the class path to compile a handler against.",
        footer = "  envelope classpath   as in javac -cp \"$(envelope classpath)\" …")
final class ClassPathCommand implements Callable<Integer> {

    private final Terminal terminal;

    ClassPathCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        terminal.out().println(System.getProperty("java.class.path", ""));
        return ExitCode.OK;
    }
}
