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

    long messages() {
        return messages;
    }

    synchronized void add(FaultCounts other) {
        other.landed.forEach((fault, count) -> landed.merge(fault, count, Long::sum));
        messages += other.messages;
        duplicates += other.duplicates;
        conflicts += other.conflicts;
        severalInOneEnvelope += other.severalInOneEnvelope;
    }

    /** What of a run is missing so that it would show anything; empty if nothing is. */
    String missing(long atLeast) {
        StringBuilder missing = new StringBuilder();
        for (Fault fault : Fault.values()) {
            if (of(fault) < atLeast) {
                missing.append(fault).append(" landed ").append(of(fault)).append(" times; ");
            }
        }
        if (duplicates == 0 || conflicts == 0 || severalInOneEnvelope == 0) {
            missing.append("no duplicates, no conflicts or no envelope of several messages; ");
        }
        return missing.toString();
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
                + " envelopes of several messages; "
                + landed;
    }
}
