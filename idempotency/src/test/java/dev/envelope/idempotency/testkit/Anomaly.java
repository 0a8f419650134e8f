package dev.envelope.idempotency.testkit;

import java.util.Locale;

/** What a run must never show, by the names that reports use. */
public enum Anomaly {
    /** A record's effect is missing. */
    LOST_APPLY,
    /** A record's or an event's effect is there twice. */
    DUPLICATE_APPLY,
    /** Two folds of a key at a time in one epoch. */
    OVERLAP,
    /** Effects of a key are not in the order of the log. */
    REORDER,
    /** The effect of a record that its producer has taken back, or that never was. */
    ABORTED_APPLY,
    /** A save that did not start from the row as the save before had left it. */
    ZOMBIE_WRITE,
    /** Something that only grows went back: a mark, a checkpoint. */
    NON_MONOTONIC,
    /** State and marks, or state and parked messages, that were not saved together. */
    TORN_ENVELOPE,
    /** Kafka was told that a record is done that is not. */
    COMMIT_AHEAD,
    /** A commit went back within an epoch. */
    COMMIT_REWIND,
    /**
     * A message was parked that could have been applied, or not with the bytes that it came with.
     */
    WRONG_PARK;

    /** {@code lost-apply} and so on. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
