package dev.envelope.integration.simulation;

import java.util.EnumMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Which faults a seed has: each kind with a probability of its own, drawn from the seed. Kinds that
 * happen at a call are asked for there; kinds that happen at a time are planned by {@link
 * Troubles}.
 *
 * <p>Threads: one thread.
 */
final class FaultPlan {

    private static final int HEAVY = 4;

    private final RandomGenerator random;
    private final FaultCounts counts;
    private final Map<Fault, Double> chances = new EnumMap<>(Fault.class);
    private final boolean besetsHandlers;
    private boolean areOver;
    private boolean isCalm;

    FaultPlan(RandomGenerator random, FaultCounts counts) {
        this.random = random;
        this.counts = counts;
        chance(Fault.STORE_SLOW, 0.1);
        chance(Fault.STORE_DOWN, 0.03);
        chance(Fault.REPLY_LOST, 0.06);
        chance(Fault.CUT_BEFORE_COMMIT, 0.03);
        chance(Fault.COMMIT_REFUSED, 0.2);
        chance(Fault.BROKER_SILENT, 0.1);
        chance(Fault.FREEZE, 0.015);
        chance(Fault.FOLD_THROWS, 0.03);
        chance(Fault.FOLD_ERROR, 0.01);
        chance(Fault.FOLD_SLOW, 0.01);
        chance(Fault.LETTERS_REFUSED, 0.2);
        chance(Fault.LETTER_TOO_LARGE, 0.6);
        chance(Fault.LETTERS_UNACKNOWLEDGED, 0.4);
        chance(Fault.LETTERS_SLOW, 0.2);
        chance(Fault.OUTPUT_REFUSED, 0.1);
        chance(Fault.OUTPUTS_ABORTED, 0.1);
        chance(Fault.OUTPUTS_COMMIT_UNKNOWN, 0.2);
        chance(Fault.OUTPUTS_FENCED, 0.1);
        chance(Fault.OUTPUTS_SUSPENDED, 0.05);
        chance(Fault.SENT_TWICE, 0.1);
        chance(Fault.COMMAND_LATE, 0.2);
        chance(Fault.MALFORMED, 0.02);
        chance(Fault.POISON, 0.02);
        besetsHandlers = random.nextBoolean();
        chance(Fault.DEADLY, besetsHandlers && random.nextBoolean() ? 0.006 : 0);
        chance(Fault.FOLD_HANGS, besetsHandlers ? 0.008 : 0);
        chance(Fault.BAD_KEY, 0.02);
        chance(Fault.ROW_REFUSED, 0.02);
        chance(Fault.OFFSETS_SKIPPED, 0.2);
    }

    /** Of three seeds one does not have the kind; of those that do one in six has it badly. */
    private void chance(Fault fault, double usual) {
        chances.put(fault, intensity() * usual * random.nextDouble());
    }

    private int intensity() {
        int drawn = random.nextInt(9);
        return drawn < 3 ? 0 : drawn == 3 ? HEAVY : 1;
    }

    /** Whether a fault of a call happens now; if so, it is counted. */
    boolean happens(Fault fault) {
        boolean happens = isDrawn(fault);
        if (happens) {
            counts.landed(fault);
        }
        return happens;
    }

    /** The same of one that is counted later, where it does something. */
    boolean isDrawn(Fault fault) {
        return !areOver
                && (!isCalm || isHarmless(fault))
                && random.nextDouble() < chances.getOrDefault(fault, 0.0);
    }

    /** How often a fault of a time is to happen in a run, if one in so many seeds has it. */
    int occurrences(int oneIn, int usual) {
        return random.nextInt(oneIn) > 0 ? 0 : 1 + random.nextInt(usual * Math.max(1, intensity()));
    }

    /** Nothing is to happen at calls, so that something else shows. */
    void calm() {
        isCalm = true;
    }

    private static boolean isHarmless(Fault fault) {
        return fault == Fault.SENT_TWICE
                || fault == Fault.COMMAND_LATE
                || fault == Fault.OFFSETS_SKIPPED;
    }

    /**
     * Whether a seed is about what handlers and decoders need, too. Where they do badly little is
     * done, so that of two seeds one leaves them alone.
     */
    boolean besetsHandlers() {
        return besetsHandlers;
    }

    void landed(Fault fault) {
        counts.landed(fault);
    }

    FaultCounts counts() {
        return counts;
    }

    /** From now on the world is kind. */
    void end() {
        areOver = true;
    }

    boolean areOver() {
        return areOver;
    }
}
