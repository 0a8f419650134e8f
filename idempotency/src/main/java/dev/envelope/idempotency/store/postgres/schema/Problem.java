package dev.envelope.idempotency.store.postgres.schema;

/**
 * Why the store can't start.
 *
 * @param sentence what is wrong and how to fix it, in one line
 */
public record Problem(Cure cure, String sentence) {

    /** What can solve it. */
    public enum Cure {
        /** It may pass: the database is down, full or failing over. */
        WAIT,
        /** It stays until somebody changes something. */
        CHANGE
    }
}
