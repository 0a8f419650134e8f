package dev.envelope.idempotency.store;

/** What became of one change. */
public sealed interface Fate {

    /** It is durable. */
    record Saved() implements Fate {
        public static final Fate SAVED = new Saved();
    }

    /** The row was no longer at the version that the change was made from. */
    record MovedOn() implements Fate {
        public static final Fate MOVED_ON = new MovedOn();
    }

    /** Another session holds the row's lock, or the row has moved on: nobody waited to find out. */
    record Locked() implements Fate {
        public static final Fate LOCKED = new Locked();
    }

    /** The row can't be stored as it is. */
    record Faulty(Throwable cause) implements Fate {}

    /** The store could not serve, or nobody knows whether it did. */
    record Unknown(RuntimeException cause) implements Fate {}
}
