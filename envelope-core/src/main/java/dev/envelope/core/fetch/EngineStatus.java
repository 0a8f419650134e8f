package dev.envelope.core.fetch;

import java.util.List;

/**
 * What the poll thread has last said of itself, for people and probes.
 *
 * @param beatNanos when, by the engine's clock
 * @param joined whether the group has given this process its part
 * @param storeReachable whether the database answered last time, and takes rows
 * @param partitions in the order of topic and number
 */
public record EngineStatus(
        long beatNanos, boolean joined, boolean storeReachable, List<PartitionStatus> partitions) {

    public EngineStatus {
        partitions = List.copyOf(partitions);
    }

    /** Whether some partition needs a person to go on. */
    public boolean hasStopped() {
        return partitions.stream().anyMatch(PartitionStatus::stopped);
    }
}
