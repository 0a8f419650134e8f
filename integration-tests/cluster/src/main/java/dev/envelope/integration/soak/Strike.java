package dev.envelope.integration.soak;

/**
 * A fault that has struck.
 *
 * <p>Threads: immutable.
 *
 * @param fromMillis since the run began
 * @param landed whether work was under way, and met it
 */
record Strike(FaultKind kind, long fromMillis, long untilMillis, boolean landed) {}
