package dev.envelope.integration.simulation;

import dev.envelope.core.api.Telemetry;

/**
 * Counts what a process tells of itself.
 *
 * <p>Threads: one thread.
 */
final class CountingTelemetry implements Telemetry {

    private final SimInstance owner;
    private final World world;

    CountingTelemetry(SimInstance owner, World world) {
        this.owner = owner;
        this.world = world;
    }

    @Override
    public void foldLeftBehind() {
        world.faults().landed(Fault.FOLD_LEFT_BEHIND);
    }

    @Override
    public void handlerTimedOut() {
        world.faults().landed(Fault.HANDLER_TIMEOUT);
    }

    @Override
    public void workerReplaced() {
        world.faults().landed(Fault.WORKER_REPLACED);
    }

    @Override
    public void duplicates(int messages) {
        world.faults().counts().duplicates(messages);
    }

    @Override
    public void deadLettered(String reason, int messages) {
        world.checks().outbox().hasMore(owner);
    }

    @Override
    public void saved(int rows, int messages) {
        if (messages > rows) {
            world.faults().counts().severalInOneEnvelope();
        }
    }
}
