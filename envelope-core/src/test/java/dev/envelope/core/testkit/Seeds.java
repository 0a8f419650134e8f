package dev.envelope.core.testkit;

import java.util.SplittableRandom;

/** Runs a check with many seeds, and names the seed that it fails with. */
public final class Seeds {

    /** What is checked with the randomness of one seed. */
    @FunctionalInterface
    public interface Check {
        void run(SplittableRandom random) throws Exception;
    }

    private Seeds() {}

    /** Runs the check with the seeds 1 to {@code count}. */
    public static void each(int count, Check check) {
        for (int seed = 1; seed <= count; seed++) {
            try {
                check.run(new SplittableRandom(seed));
            } catch (Exception | AssertionError e) {
                throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }
}
