package dev.envelope.integration.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A shell process that outlives this JVM just long enough to kill what it left running and to
 * delete its folder.
 *
 * <p>It reads which processes to watch from its standard input. Whatever ends this JVM, kill -9
 * included, ends that input, and the end of the input is the sign to clean up; there is no other,
 * so the orderly way and the violent one are the same code.
 *
 * <p>Threads: guarded by this.
 */
final class Reaper {

    private static final String SCRIPT =
            """
            trap '' HUP INT TERM
            pids=
            while read -r verb pid; do
              rest=
              for known in $pids; do
                [ "$known" = "$pid" ] || rest="$rest $known"
              done
              [ "$verb" = watch ] && rest="$rest $pid"
              pids=$rest
            done
            for pid in $pids; do
              kill -s KILL "$pid" 2>/dev/null
            done
            # What is dying may still write: try until the folder is gone.
            for attempt in 1 2 3 4 5 6 7 8 9 10; do
              rm -rf "$1" 2>/dev/null
              [ -e "$1" ] || break
              sleep 0.2
            done
            """;

    private static final long CLEAN_UP_SECONDS = 10;

    private final Process process;
    private final Writer input;

    private Reaper(Process process) {
        this.process = process;
        this.input = process.outputWriter(StandardCharsets.US_ASCII);
    }

    /** Starts a reaper that deletes {@code folder} at the end. */
    static Reaper of(Path folder) throws IOException {
        List<String> command = new ArrayList<>(OwnSession.prefix());
        command.addAll(List.of("sh", "-c", SCRIPT, "envelope-reaper", folder.toString()));
        return new Reaper(
                new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start());
    }

    /** Has {@code pid} killed at the end. */
    synchronized void watch(long pid) {
        say("watch", pid);
    }

    /** Forgets {@code pid}, which has ended: its number may soon be somebody else's. */
    synchronized void forget(long pid) {
        say("forget", pid);
    }

    /** Ends the input, and waits until everything is cleaned up. */
    synchronized void finish() throws IOException, InterruptedException {
        input.close();
        if (!process.waitFor(CLEAN_UP_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    private void say(String verb, long pid) {
        try {
            input.write(verb + ' ' + pid + '\n');
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the reaper of the local stack is gone", e);
        }
    }
}
