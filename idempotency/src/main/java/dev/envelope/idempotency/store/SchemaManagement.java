package dev.envelope.idempotency.store;

/** Who creates and changes the tables. */
public enum SchemaManagement {
    /** This program, at start. */
    AUTO,
    /** Somebody else, with our SQL files; this program checks the version. */
    VALIDATE,
    /** Somebody else; only the existence of the tables is checked. */
    NONE
}
