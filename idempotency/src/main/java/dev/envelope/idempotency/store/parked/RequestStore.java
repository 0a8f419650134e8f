package dev.envelope.idempotency.store.parked;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.row.Snapshot;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What operators have asked to be done with keys, and who carries it out.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when nobody knows what happened, and {@link OtherIncarnationException} when the database is in
 * another life than the one given.
 */
public interface RequestStore {

    /** What can be asked for. */
    enum Action {
        /** Fold the key's parked messages, in order, and let the key flow again. */
        REDRIVE,
        /** Delete one message, then redrive those behind it. */
        SKIP,
        /** Redrive, and delete each message that fails again. */
        SKIP_FAILING,
        /**
         * Delete the parked messages of the key, and let it flow again; if more have come since
         * that was asked for, these stay parked, and so does the key.
         */
        DROP,
        /** Park whatever comes of the key from now on, until that is redriven or dropped. */
        QUARANTINE,
        /** Put another value in the place of the key's first parked message, then redrive. */
        EDIT,
        /** Replace the state of the key, if its row is still as it was when that was asked for. */
        SET,
        /** Likewise delete its state and its event ids, and its parked messages with them. */
        DELETE;

        /** Whether it changes what a row says, at one version of it. */
        public boolean isRepair() {
            return this == SET || this == DELETE;
        }
    }

    /**
     * Something that was asked for.
     *
     * @param position of the message that {@link Action#SKIP} and {@link Action#EDIT} name, and of
     *     the last that {@link Action#DROP} and {@link Action#DELETE} delete; null to drop whatever
     *     is parked
     * @param version that the row must have, for {@link Action#SET} and {@link Action#DELETE}, or
     *     {@link #ANY_VERSION}; null once it is {@linkplain #repair repaired}, or the message
     *     {@linkplain #replace replaced}
     * @param state the JSON that {@link Action#SET} is to set; of {@link Action#EDIT} the value, in
     *     base64, or null for a tombstone
     * @param brokenOff how many processes had it and were not heard of again
     */
    record Request(
            long number,
            String key,
            Action action,
            @Nullable Long position,
            @Nullable Long version,
            @Nullable String state,
            int brokenOff) {

        /** Whatever the row has become. */
        public static final long ANY_VERSION = -1;
    }

    /** The present life of the database. */
    Incarnation incarnation();

    /**
     * Takes the request that waits longest and that nobody else is carrying out. It comes to
     * somebody else when it has not been answered, or {@linkplain #renew renewed}, for that long;
     * who has taken it and broken off gets it again at once, or when it has {@linkplain #rest
     * rested}.
     */
    Optional<Request> take(Duration lease);

    /**
     * Puts a request of this process behind the others. Without a pause it stays this process's for
     * the lease; with one it waits for so long, and is anybody's then: another may be able to do
     * what this one can't.
     */
    void rest(Request request, Duration pause, Duration lease);

    /** Says that this process will take no more, and gives back what it has not answered. */
    void leave();

    /**
     * The request as it stands now, this process's for that long again; empty if it is not its to
     * carry out any more. Asked after the row was loaded: what anybody does for a request changes
     * the row's version, so a save from the loaded version can't do it twice.
     */
    Optional<Request> renew(Request request, Duration lease);

    /** Says what became of a request in this life of the database, which ends it. */
    void answer(Request request, String answer, Incarnation incarnation);

    /**
     * Saves a row that a request repairs and, in the same transaction, that this is done: who takes
     * the request anew, since the answer was lost, finds that it has no version any more.
     *
     * @return false if the row was no longer at its version; nothing was done
     */
    boolean repair(Request request, Snapshot next, Incarnation incarnation);

    /**
     * Puts what a request says in the place of a parked message's value, and notes for good that it
     * stands there, with what was there before. In the same transaction the row moves on, so that
     * nobody saves what was folded of the former value; and it is noted that this is done.
     *
     * @return false if the row was no longer at its version; nothing was done
     */
    boolean replace(Request request, Snapshot next, Incarnation incarnation);
}
