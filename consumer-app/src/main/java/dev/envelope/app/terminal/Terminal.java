package dev.envelope.app.terminal;

import java.io.Console;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * Where a command prints: answers that a program may read, and everything else.
 *
 * <p>Threads: thread-safe (the writers are).
 */
public record Terminal(PrintWriter out, PrintWriter err) {

    /** Standard output and standard error of this process. */
    public static Terminal ofThisProcess() {
        return new Terminal(
                new PrintWriter(System.out, true, StandardCharsets.UTF_8),
                new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    }

    /** Whether it is a person's screen, and no file or pipe. */
    @SuppressWarnings("SystemConsoleNull") // from Java 22 on it is asked whether it is a terminal
    public boolean isLookedAt() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true; // before Java 22 only a terminal has a console
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
