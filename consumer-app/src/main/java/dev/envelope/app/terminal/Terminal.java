package dev.envelope.app.terminal;

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
}
