package dev.envelope.idempotency.store.parked;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.row.Snapshot;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Operators' requests about keys, and which process carries each out.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when the outcome is unknown, and {@link OtherIncarnationException} when the database is in
 * another incarnation than the given one.
 */
public interface RequestStore {

    /** The actions that can be requested. */
    enum Action {
        /** Fold the key's parked messages, in order, and let the key flow again. */
        REDRIVE,
        /** Delete the first parked message, then redrive those behind it. */
        SKIP,
        /** Redrive, and delete each message that fails again. */
        SKIP_FAILING,
        /**
         * Delete the parked messages of the key, and let it flow again. Messages that were parked
         * after the request stay parked, and the key stays frozen.
         */
        DROP,
        /** Park all new messages of the key, until it is redriven or dropped. */
        QUARANTINE,
        /** Replace the value of the key's first parked message, then redrive. */
        EDIT,
        /** Replace the state of the key, if its row has not changed since the request. */
        SET,
        /** Likewise delete its state, event ids and parked messages. */
        DELETE;

        /** Whether it changes a row's state at one version of the row. */
        public boolean isRepair() {
            return this == SET || this == DELETE;
        }
    }

    /**
     * A request.
     *
     * @param position of the message for {@link Action#SKIP} and {@link Action#EDIT}, and of the
     *     last one that {@link Action#DROP} and {@link Action#DELETE} delete; null to drop all
     * @param version that the row must have, for {@link Action#SET} and {@link Action#DELETE}, or
     *     {@link #ANY_VERSION}; null once it is {@linkplain #repair repaired}, or the message
     *     {@linkplain #replace replaced}
     * @param state the JSON for {@link Action#SET}; for {@link Action#EDIT} the value in base64, or
     *     null for a tombstone
     * @param brokenOff how many processes were not seen again while they carried it out; those at
     *     which it {@linkplain #rest rested} don't count
     */
    record Request(
            long number,
            String key,
            Action action,
            @Nullable Long position,
            @Nullable Long version,
            @Nullable String state,
            int brokenOff) {

        /** Any version of the row. */
        public static final long ANY_VERSION = -1;
    }

    /** The present incarnation of the database. */
    Incarnation incarnation();

    /** Records that this process is there and carries requests out. */
    void seen();

    /**
     * Takes the request that has waited longest and is not taken by another process. Another
     * process can take it when it was neither answered nor {@linkplain #renew renewed} for the
     * lease. A process that breaks off can take it again at once, or when it has {@linkplain #rest
     * rested}. Once a {@link Action#DELETE} has deleted a row, the key's other requests are held
     * back until it is answered: they would apply messages that it deletes next. Other deletions
     * are not.
     */
    Optional<Request> take(Duration lease);

    /**
     * Puts a request of this process behind the others. Without a pause, this process keeps it for
     * the lease. With one, it waits that long, and then any process can take it: another one may
     * succeed.
     */
    void rest(Request request, Duration pause, Duration lease);

    /** Returns the requests that this process has not answered; it will take no more. */
    void leave();

    /**
     * Renews the lease and reads the request again; empty if this process does not have it any
     * more, or if it is held back by a deletion of its key. Called after the row was loaded: every
     * step of a request changes the row's version, so a save from the loaded version can't do a
     * step twice.
     */
    Optional<Request> renew(Request request, Duration lease);

    /**
     * Answers a request, which ends it; only in this incarnation.
     *
     * @return false if another process has the request, or it was answered
     */
    boolean answer(Request request, String answer, Incarnation incarnation);

    /**
     * Saves a row that a request repairs and, in the same transaction, removes the request's
     * version. So if the answer is lost and the request is taken again, it shows that this is done.
     *
     * @return false if the row has another version, or another process has the request, or it was
     *     answered; then nothing was done
     */
    boolean repair(Request request, Snapshot next, Incarnation incarnation);

    /**
     * Replaces a parked message's value, and keeps the new and the original value in {@code
     * replacement}. In the same transaction the row's version grows, so that nothing folded from
     * the former value is saved, and the request's version is removed, which shows that this is
     * done.
     *
     * @return false as {@link #repair} does
     */
    boolean replace(Request request, Snapshot next, Incarnation incarnation);
}
