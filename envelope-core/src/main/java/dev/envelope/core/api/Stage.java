package dev.envelope.core.api;

/** What a handler does with the envelopes of a turn, in this order, perhaps again and again. */
public enum Stage {
    /** Finds out what their keys were saved with. */
    LOAD,
    /** Runs user code. */
    FOLD,
    /** Writes what came of it. */
    SAVE
}
