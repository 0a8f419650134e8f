package dev.envelope.integration.simulation;

import java.util.EnumMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Which faults a seed has: each kind with a probability of its own, drawn from the seed. Kinds that
 * happen at a call are asked for there; kinds that happen at a time are planned by the {@code
 * World}.
 *
 * <p>Threads: one thread.
 */
final class FaultPlan {

    private final RandomGenerator random;
    private final FaultCounts counts;
    private final Map<Fault, Double> chances = new EnumMap<>(Fault.class);
    private boolean areOver;

    FaultPlan(RandomGenerator random, FaultCounts counts) {
        this.random = random;
        this.counts = counts;
        chance(Fault.STORE_SLOW, 0.2);
        chance(Fault.STORE_DOWN, 0.05);
        chance(Fault.REPLY_LOST, 0.1);
        chance(Fault.COMMIT_REFUSED, 0.3);
        chance(Fault.FREEZE, 0.03);
        chance(Fault.FOLD_THROWS, 0.05);
        chance(Fault.FOLD_SLOW, 0.02);
        chance(Fault.SENT_TWICE, 0.1);
        chance(Fault.MALFORMED, 0.03);
    }

    /** Two seeds of three have the kind at all. */
    private void chance(Fault fault, double most) {
        chances.put(fault, random.nextInt(3) == 0 ? 0 : random.nextDouble() * most);
    }

    /** Whether a fault of a call happens now; if so, it is counted. */
    boolean happens(Fault fault) {
        if (areOver || random.nextDouble() >= chances.getOrDefault(fault, 0.0)) {
            return false;
        }
        counts.landed(fault);
        return true;
    }

    /** How often a fault of a time is to happen in a run. */
    int occurrences(int most) {
        return random.nextInt(most + 1);
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
