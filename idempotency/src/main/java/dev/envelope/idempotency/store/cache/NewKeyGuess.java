package dev.envelope.idempotency.store.cache;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether a key that is not cached is probably new, so that it is written on the guess instead of
 * being looked for first. The compare-and-set judges each guess; this only decides whether guessing
 * pays.
 *
 * <p>It watches in windows: guessing begins after a window of loads that nearly all found nothing,
 * and ends as soon as a few guesses of a window were wrong.
 *
 * <p>Threads: thread-safe (atomics). A lost update costs a little speed and nothing else.
 */
public final class NewKeyGuess {

    private static final int WINDOW = 512;
    private static final int TOLERATED = WINDOW / 20;

    private final AtomicInteger seen = new AtomicInteger();
    private final AtomicInteger known = new AtomicInteger();
    private volatile boolean isOn;

    public boolean isOn() {
        return isOn;
    }

    /** So many keys were looked for or written on the guess, and so many of them had a row. */
    public void observed(int keys, int hadRow) {
        int total = seen.addAndGet(keys);
        int found = known.addAndGet(hadRow);
        if (isOn && found > TOLERATED) {
            isOn = false;
            reset();
        } else if (total >= WINDOW) {
            isOn = found <= TOLERATED * (total / WINDOW);
            reset();
        }
    }

    private void reset() {
        seen.set(0);
        known.set(0);
    }
}
