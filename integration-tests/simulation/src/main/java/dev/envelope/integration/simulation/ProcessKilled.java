package dev.envelope.integration.simulation;

/** Thrown out of whatever a simulated process was inside when it was killed. */
final class ProcessKilled extends Error {

    private static final long serialVersionUID = 1L;

    ProcessKilled() {
        super("killed", null, false, false);
    }
}
