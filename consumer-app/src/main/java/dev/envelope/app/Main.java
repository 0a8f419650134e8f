package dev.envelope.app;

import dev.envelope.app.commands.EnvelopeCommand;
import dev.envelope.app.logging.LogLevels;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;

/** The entry point of the program. */
public final class Main {

    private Main() {}

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        Thread.setDefaultUncaughtExceptionHandler(Main::uncaught);
        int code = EnvelopeCommand.execute(Terminal.ofThisProcess(), arguments);
        LogLevels.flushAndStop();
        System.exit(code);
    }

    /** When memory has run out, no state can be trusted any more: the process ends at once. */
    private static void uncaught(Thread thread, Throwable thrown) {
        if (thrown instanceof OutOfMemoryError) {
            Runtime.getRuntime().halt(ExitCode.OUT_OF_MEMORY);
        }
        System.err.println("envelope: thread " + thread.getName() + " ended by " + thrown);
    }
}
