package dev.envelope.integration.bench.client;

/**
 * What a handler does that asks another system for something: it waits.
 *
 * <p>Threads: immutable.
 */
public final class Blocking {

    private Blocking() {}

    /** Returns at once for 0. */
    public static void forMillis(int millis) {
        if (millis > 0) {
            try {
                Thread.sleep(millis); // the workload itself: a handler that waits
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }
    }
}
