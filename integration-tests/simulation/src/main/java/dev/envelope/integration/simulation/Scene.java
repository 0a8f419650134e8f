package dev.envelope.integration.simulation;

import java.util.random.RandomGenerator;

/**
 * What surrounds a simulated process, whatever it reads: time, and what goes wrong.
 *
 * <p>Threads: one thread.
 */
interface Scene {

    /** From then on nothing goes wrong any more. */
    long TROUBLE_ENDS = 7_000_000_000L;

    Scheduler scheduler();

    RandomGenerator random();

    FaultPlan faults();

    /** Has something happen so many times, while things go wrong. */
    default void plan(int times, Runnable trouble) {
        for (int i = 0; i < times; i++) {
            long at = (long) (TROUBLE_ENDS * (0.1 + 0.8 * random().nextDouble()));
            scheduler().after(at, trouble);
        }
    }

    default void every(long nanos, Runnable action) {
        scheduler()
                .after(
                        nanos,
                        () -> {
                            action.run();
                            every(nanos, action);
                        });
    }
}
