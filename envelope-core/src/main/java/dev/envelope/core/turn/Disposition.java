package dev.envelope.core.turn;

/** What became of a message for good; each of these is durable. */
public enum Disposition {
    /** Its effect is in its key's row. */
    APPLIED,
    /** It had been applied before, or its event had. */
    DUPLICATE,
    /** It is set aside until a person decides. */
    PARKED,
    /** It is put out as a dead letter, and its key goes on. */
    PUT_OUT
}
