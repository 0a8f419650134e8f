package dev.envelope.integration.stack;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waiting for a condition of another process, which can only be asked for again and again.
 *
 * <p>Threads: immutable.
 */
public final class Waiting {

    private Waiting() {}

    /** Returns as soon as {@code condition} holds, asked every {@code pause}. */
    public static void until(
            Duration patience,
            Duration pause,
            BooleanSupplier condition,
            Supplier<String> failure) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(failure.get() + " (waited " + patience + ")");
            }
            try {
                Thread.sleep(pause.toMillis()); // another process tells nobody
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted: " + failure.get(), e);
            }
        }
    }
}
