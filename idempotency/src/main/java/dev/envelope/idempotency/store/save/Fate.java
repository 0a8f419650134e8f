package dev.envelope.idempotency.store.save;

/** What became of one change. */
public sealed interface Fate {

    /** It is durable. */
    enum Saved implements Fate {
        SAVED
    }

    /** The row was no longer at the version that the change was made from. */
    enum MovedOn implements Fate {
        MOVED_ON
    }

    /**
     * Another session holds the row's lock, or the row has another version: the save did not wait
     * to find out.
     */
    enum Locked implements Fate {
        LOCKED
    }

    /** The row can't be stored as it is. */
    record Faulty(Throwable cause) implements Fate {}

    /** The store could not serve, or the outcome is unknown. */
    record Unknown(RuntimeException cause) implements Fate {}
}
