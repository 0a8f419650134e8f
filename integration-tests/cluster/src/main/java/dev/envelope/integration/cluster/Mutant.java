package dev.envelope.integration.cluster;

/** A promise that a process breaks on purpose, so that we see the oracle say so. */
public enum Mutant {
    NONE,
    /** What was loaded comes without its marks and event ids. */
    DEDUPE_OFF,
    /** A save that has lost its row takes it all the same. */
    COMPARE_AND_SET_OFF,
    /** Everything counts as durable as soon as it is handed out. */
    COMMIT_ON_FETCH
}
