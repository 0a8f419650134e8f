package dev.envelope.integration.soak;

import dev.envelope.integration.oracle.Schema;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * What a fault has at hand.
 *
 * <p>Threads: the conductor's only.
 *
 * @param random the fault's own chance
 * @param companion what is to happen in the middle of a long fault: nothing, or another one
 */
record Scene(Random random, Grounds grounds, Fleet fleet, Lookout lookout, Runnable companion) {

    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final long PAUSE_NANOS = 1_000_000;

    /** Leaves things broken for a while, between so many milliseconds and so many. */
    void hold(int leastMillis, int mostMillis) {
        Duration whole = Duration.ofMillis(leastMillis);
        whole = whole.plusMillis(random.nextInt(mostMillis - leastMillis + 1));
        long until = System.nanoTime() + whole.toNanos();
        pause(whole.dividedBy(2));
        companion.run();
        pause(Duration.ofNanos(until - System.nanoTime()));
    }

    /** The tables of one of the slots at the database server that this fault is about. */
    Schema slot() {
        return grounds.chosen(fleet.schemas());
    }

    static void pause(Duration duration) {
        long until = System.nanoTime() + duration.toNanos();
        long left = duration.toNanos();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = until - System.nanoTime();
        }
    }

    /** Waits for a moment; false where it does not come. */
    static boolean awaits(BooleanSupplier moment) {
        return awaits(PATIENCE, moment);
    }

    static boolean awaits(Duration patience, BooleanSupplier moment) {
        long until = System.nanoTime() + patience.toNanos();
        while (!moment.getAsBoolean()) {
            if (System.nanoTime() > until) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }
}
