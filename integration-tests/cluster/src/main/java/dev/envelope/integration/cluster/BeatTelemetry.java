package dev.envelope.integration.cluster;

import dev.envelope.core.api.Telemetry;
import dev.envelope.integration.cluster.Beat.Count;

/**
 * Counts what the engine tells into the beat.
 *
 * <p>Threads: thread-safe (the beat is).
 */
record BeatTelemetry(Beat beat) implements Telemetry {

    @Override
    public void duplicates(int messages) {
        beat.add(Count.DUPLICATES, messages);
    }

    @Override
    public void saved(int rows, int messages) {
        beat.add(Count.SAVED_ROWS, rows);
        beat.add(Count.SAVED_MESSAGES, messages);
    }

    @Override
    public void conflicts(int rows) {
        beat.add(Count.CONFLICTS, rows);
    }

    @Override
    public void attemptFailed() {
        beat.add(Count.FAILED_ATTEMPTS, 1);
    }

    @Override
    public void parked(String reason, int messages) {
        beat.add(Count.PARKED, messages);
    }

    @Override
    public void rebalanced(String event, int partitions) {
        beat.add(Count.REBALANCES, 1);
    }
}
