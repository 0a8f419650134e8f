package dev.envelope.app.terminal;

import java.io.Console;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * The output of a command: answers that a program may read, and everything else.
 *
 * @param isLookedAt whether it is a screen, and no file or pipe
 */
public record Terminal(PrintWriter out, PrintWriter err, boolean isLookedAt) {

    /** Output that is not a screen. */
    public Terminal(PrintWriter out, PrintWriter err) {
        this(out, err, false);
    }

    /** Standard output and standard error of this process. */
    public static Terminal ofThisProcess() {
        return new Terminal(
                new PrintWriter(System.out, true, StandardCharsets.UTF_8),
                new PrintWriter(System.err, true, StandardCharsets.UTF_8),
                isScreen());
    }

    /** Writes what was printed without an end of line. */
    public void flush() {
        out.flush();
        err.flush();
    }

    @SuppressWarnings("SystemConsoleNull") // from Java 22 on it is asked whether it is a terminal
    private static boolean isScreen() {
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
