package dev.envelope.idempotency.testkit;

import org.jspecify.annotations.Nullable;

/**
 * A record of the log as a reader of committed records sees it, and what has to become of it.
 *
 * <p>Threads: immutable.
 *
 * @param key the row that it belongs to, or null for a record that can't have a row
 * @param event what it has in common with a producer's duplicate of it; unique otherwise
 */
public record LogRecord(Place place, @Nullable String key, String event, Expected expected) {

    /** What has to become of a record. */
    public enum Expected {
        APPLIED,
        /** Its event is applied already. */
        SKIPPED,
        PARKED
    }
}
