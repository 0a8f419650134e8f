package dev.envelope.idempotency;

/**
 * The watchdog has given the turn's shards to other workers. Not an error, so it has no stack
 * trace.
 */
final class TurnTaken extends Exception {

    private static final long serialVersionUID = 1L;

    TurnTaken() {
        super(null, null, false, false);
    }
}
