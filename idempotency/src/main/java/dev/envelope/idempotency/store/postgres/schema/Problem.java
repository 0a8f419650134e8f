package dev.envelope.idempotency.store.postgres.schema;

/**
 * Why the store can't start.
 *
 * @param sentence what is wrong and what mends it, in one line
 */
public record Problem(Cure cure, String sentence) {

    /** What it takes. */
    public enum Cure {
        /** It may pass: the database is down, full or failing over. */
        WAIT,
        /** It stays until somebody changes something. */
        CHANGE
    }
}
