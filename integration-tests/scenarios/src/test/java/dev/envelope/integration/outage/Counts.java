package dev.envelope.integration.outage;

import dev.envelope.core.api.Telemetry;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the engine has told of its work.
 *
 * <p>Threads: thread-safe (adders).
 */
final class Counts implements Telemetry {

    private final LongAdder saved = new LongAdder();
    private final LongAdder duplicates = new LongAdder();
    private final LongAdder parked = new LongAdder();
    private final LongAdder failedAttempts = new LongAdder();
    private final LongAdder unavailable = new LongAdder();
    private final LongAdder rebalances = new LongAdder();

    @Override
    public void saved(int rows, int messages) {
        saved.add(messages);
    }

    @Override
    public void duplicates(int messages) {
        duplicates.add(messages);
    }

    @Override
    public void parked(String reason, int messages) {
        parked.add(messages);
    }

    @Override
    public void attemptFailed() {
        failedAttempts.increment();
    }

    @Override
    public void storeUnavailable() {
        unavailable.increment();
    }

    @Override
    public void rebalanced(String event, int partitions) {
        rebalances.increment();
    }

    long saved() {
        return saved.sum();
    }

    long duplicates() {
        return duplicates.sum();
    }

    long parked() {
        return parked.sum();
    }

    long failedAttempts() {
        return failedAttempts.sum();
    }

    long unavailable() {
        return unavailable.sum();
    }

    long rebalances() {
        return rebalances.sum();
    }
}
