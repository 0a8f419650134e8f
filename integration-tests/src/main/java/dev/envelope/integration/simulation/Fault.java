package dev.envelope.integration.simulation;

/** The kinds of trouble that a seed can have. */
enum Fault {
    /** A process is killed, and started again a while later. */
    KILL,
    /** The group gives partitions to others. */
    REVOKE,
    /** A process does not poll for so long that the group takes its partitions. */
    LOST,
    /** A process stands still, inside whatever it was doing. */
    FREEZE,
    /** The store takes its time. */
    STORE_SLOW,
    /** The store does not answer, and has done nothing. */
    STORE_DOWN,
    /** The store has done it, and the reply is lost. */
    REPLY_LOST,
    /** A row is locked by a session outside. */
    ROW_LOCKED,
    /** A session outside has written a row. */
    ROW_TOUCHED,
    /** The database comes back as another server that lacks the last moments. */
    WENT_BACK,
    /** The database is restarted. */
    RESTARTED,
    /** The broker refuses a commit. */
    COMMIT_REFUSED,
    /** A fold throws, after having changed the state that it was given. */
    FOLD_THROWS,
    /** A fold takes longer than a turn may. */
    FOLD_SLOW,
    /** A producer sends an event again. */
    SENT_TWICE,
    /** A process is closed in good order, and started again. */
    CLOSED,
    /** Bytes that are no message. */
    MALFORMED,
    /** A key is parked, and an operator asks for it to go on. */
    PARKED
}
