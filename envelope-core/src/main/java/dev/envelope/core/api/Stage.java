package dev.envelope.core.api;

/** What a handler does with the envelopes of a turn, in this order, perhaps repeatedly. */
public enum Stage {
    /** Loads the rows of their keys. */
    LOAD,
    /** Runs user code. */
    FOLD,
    /** Saves the changes. */
    SAVE
}
