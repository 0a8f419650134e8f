package dev.envelope.idempotency.store.cache;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether a key that is not cached is probably new, so that it is inserted without a load. A wrong
 * guess loses the compare-and-set; this only decides whether guessing pays.
 *
 * <p>It counts in windows: guessing begins after a window in which nearly all loads found no row,
 * and ends as soon as a few guesses in a window were wrong.
 *
 * <p>Threads: thread-safe (atomics). A lost update only costs a little speed.
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

    /** Records how many keys were loaded or guessed, and how many of them had a row. */
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
