package dev.envelope.integration.chain;

/** What a process gets wrong on purpose, so that the checks are seen to find it. */
public enum Flaw {
    NONE,
    /** It takes every committed number for a lost one. */
    NUMBERS_LOST,
    /** It takes each open batch for a committed one. */
    TAKEN_FOR_COMMITTED,
    /** It sends the records of a batch in the opposite order. */
    REVERSED
}
