package dev.envelope.core.api;

import java.util.function.Function;

/** What became of an envelope in a turn. */
public sealed interface Outcome {

    /**
     * Every message of it is durable: applied, parked, put out as a dead letter, or a duplicate.
     */
    enum Saved implements Outcome {
        SAVED
    }

    /**
     * The first messages are durable, the others come again in a later turn.
     *
     * @param saved how many are durable, from the first; may be none
     */
    record Deferred(int saved) implements Outcome {
        public static final Outcome NOT_BEGUN = new Deferred(0);
    }

    /**
     * A message failed on a state that was loaded or confirmed: that is an attempt.
     *
     * @param saved how many messages before the failed one are durable
     * @param retryable false if another attempt could not go otherwise
     */
    record Failed(int saved, Throwable cause, boolean retryable) implements Outcome {}

    /** A session outside holds the row's lock: nothing is saved; its key is tried again. */
    enum Locked implements Outcome {
        LOCKED
    }

    /**
     * What it would put out has no room at the moment, or it has to be folded while something else
     * is not: nothing is saved, no attempt is counted, and its key waits while others flow.
     */
    enum NoRoom implements Outcome {
        NO_ROOM
    }

    /**
     * A message can't be folded now, and that is nobody's fault that could be told: no attempt is
     * counted; its key waits, in order, while others flow.
     *
     * @param saved how many messages before it are durable
     */
    record Waiting(int saved, Why why, Throwable cause) implements Outcome {

        /** What it waits for. */
        public enum Why {
            /**
             * A server that its decoder, or the handler, asks is away: for as long as that lasts.
             */
            OUTAGE,
            /** It can't be decoded, and nobody can tell why: for a stated time. */
            UNCLEAR,
            /** A process that can read its key's state, of another version: for a stated time. */
            OTHER_VERSION,
            /** A person: its key's state can't be read by any version. */
            DAMAGED
        }
    }

    /** The store could not serve, or nobody knows whether it did: come again, and look. */
    record Unavailable(Throwable cause) implements Outcome {}

    /** The epoch that the envelope belongs to is over or was positioned in another incarnation. */
    enum Superseded implements Outcome {
        SUPERSEDED
    }

    /** Calls the function of the case that this is. */
    default <R> R match(
            Function<Saved, R> saved,
            Function<Deferred, R> deferred,
            Function<Failed, R> failed,
            Function<Locked, R> locked,
            Function<NoRoom, R> noRoom,
            Function<Waiting, R> waiting,
            Function<Unavailable, R> unavailable,
            Function<Superseded, R> superseded) {
        if (this instanceof Saved it) {
            return saved.apply(it);
        } else if (this instanceof Deferred it) {
            return deferred.apply(it);
        } else if (this instanceof Failed it) {
            return failed.apply(it);
        } else if (this instanceof Locked it) {
            return locked.apply(it);
        } else if (this instanceof NoRoom it) {
            return noRoom.apply(it);
        } else if (this instanceof Waiting it) {
            return waiting.apply(it);
        } else if (this instanceof Unavailable it) {
            return unavailable.apply(it);
        } else {
            return superseded.apply((Superseded) this);
        }
    }
}
