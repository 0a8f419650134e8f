package dev.envelope.core.status;

import java.util.List;

/**
 * What the poll thread has last said of itself, for people and probes.
 *
 * @param beatNanos when, by the engine's clock
 * @param joined whether the group has given this process its part
 * @param generation of the group, or of slots, as this process knows it; it only grows. -1 before
 *     it has joined
 * @param storeReachable whether the database answered last time, and takes rows
 * @param notCommitted since when Kafka takes no commit, and why; empty where it does
 * @param missingTopics of those that are read, in their order; they were there once
 * @param partitions in the order of topic and number
 */
public record EngineStatus(
        long beatNanos,
        boolean joined,
        int generation,
        boolean storeReachable,
        String notCommitted,
        List<String> missingTopics,
        List<PartitionStatus> partitions) {

    public EngineStatus {
        missingTopics = List.copyOf(missingTopics);
        partitions = List.copyOf(partitions);
    }

    /** Before the first turn. */
    public static EngineStatus begun(long nanos) {
        return new EngineStatus(nanos, false, -1, true, "", List.of(), List.of());
    }

    /** Whether some partition needs a person to go on. */
    public boolean hasStopped() {
        return partitions.stream().anyMatch(PartitionStatus::stopped);
    }
}
