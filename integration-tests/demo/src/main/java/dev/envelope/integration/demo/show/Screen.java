package dev.envelope.integration.demo.show;

import java.io.Console;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/**
 * Where the demo prints: on a terminal the live line is written over, elsewhere each is a line.
 *
 * <p>Threads: guarded by this.
 */
public final class Screen {

    private static final String OVER = "\r\u001b[2K";

    private final PrintStream out;
    private final boolean isTerminal;
    private boolean isLineOpen;

    public Screen(PrintStream out, boolean isTerminal) {
        this.out = out;
        this.isTerminal = isTerminal;
    }

    /** Standard output. */
    public static Screen ofThisProcess() {
        return new Screen(System.out, isTerminal(System.console()));
    }

    /** Text that stays. */
    public synchronized void say(String text) {
        endLine();
        out.println(text);
    }

    /** The line that changes. */
    public synchronized void live(String line) {
        if (isTerminal) {
            out.print(OVER + line);
            out.flush();
            isLineOpen = true;
        } else {
            out.println(line);
        }
    }

    private void endLine() {
        if (isLineOpen) {
            out.println();
            isLineOpen = false;
        }
    }

    /** Since Java 22 there is a console without a terminal, which says so. */
    private static boolean isTerminal(@Nullable Console console) {
        if (console == null) {
            return false;
        }
        try {
            return Boolean.TRUE.equals(Console.class.getMethod("isTerminal").invoke(console));
        } catch (ReflectiveOperationException before22) {
            return true;
        }
    }
}
