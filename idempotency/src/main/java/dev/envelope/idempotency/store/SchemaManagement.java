package dev.envelope.idempotency.store;

/** Who creates and changes the tables. */
public enum SchemaManagement {
    /** We do, at start. */
    AUTO,
    /** Somebody else does, with our SQL files; we check the version. */
    VALIDATE,
    /** Somebody else does, and answers for it. */
    NONE
}
