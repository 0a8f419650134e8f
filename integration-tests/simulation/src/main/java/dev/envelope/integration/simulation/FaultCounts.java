package dev.envelope.integration.simulation;

import java.util.EnumMap;
import java.util.Map;

/**
 * How often each kind of fault has landed, and what shows that the run was not empty.
 *
 * <p>Threads: one thread; counts of several runs are added up.
 */
final class FaultCounts {

    private final Map<Fault, Long> landed = new EnumMap<>(Fault.class);
    private long messages;
    private long duplicates;
    private long conflicts;
    private long severalInOneEnvelope;
    private long healed;
    private long longestHealingNanos;

    void landed(Fault fault) {
        landed.merge(fault, 1L, Long::sum);
    }

    long of(Fault fault) {
        return landed.getOrDefault(fault, 0L);
    }

    long total() {
        return landed.values().stream().mapToLong(Long::longValue).sum();
    }

    void produced(int count) {
        messages += count;
    }

    void duplicates(int count) {
        duplicates += count;
    }

    void conflicts(int count) {
        conflicts += count;
    }

    void severalInOneEnvelope() {
        severalInOneEnvelope++;
    }

    /** All faults were over, and everything was caught up so much later. */
    void healed(long nanos) {
        healed++;
        longestHealingNanos = Math.max(longestHealingNanos, nanos);
    }

    long messages() {
        return messages;
    }

    synchronized void add(FaultCounts other) {
        other.landed.forEach((fault, count) -> landed.merge(fault, count, Long::sum));
        messages += other.messages;
        duplicates += other.duplicates;
        conflicts += other.conflicts;
        severalInOneEnvelope += other.severalInOneEnvelope;
        longestHealingNanos = Math.max(longestHealingNanos, other.longestHealingNanos);
        healed += other.healed;
    }

    /** What of a run is missing so that it would show anything; empty if nothing is. */
    String missing(long atLeast) {
        StringBuilder missing = new StringBuilder();
        for (Fault fault : Fault.values()) {
            if (of(fault) < wanted(fault, atLeast)) {
                missing.append(fault).append(" landed ").append(of(fault)).append(" times; ");
            }
        }
        if (healed < atLeast) {
            missing.append("only ").append(healed).append(" seeds were to heal; ");
        }
        if (duplicates == 0 || conflicts == 0 || severalInOneEnvelope == 0) {
            missing.append("no duplicates, no conflicts or no envelope of several messages; ");
        }
        return missing.toString();
    }

    /**
     * A worker is replaced only if its process stands still neither while the fold hangs nor while
     * it ignores the interrupt, which is seldom.
     */
    private static long wanted(Fault fault, long atLeast) {
        return fault == Fault.WORKER_REPLACED ? atLeast / 2 : atLeast;
    }

    @Override
    public String toString() {
        return messages
                + " messages, "
                + duplicates
                + " duplicates, "
                + conflicts
                + " conflicts, "
                + severalInOneEnvelope
                + " envelopes of several messages, "
                + healed
                + " seeds healed, the slowest in "
                + longestHealingNanos / 1_000_000_000
                + " s; "
                + landed;
    }
}
