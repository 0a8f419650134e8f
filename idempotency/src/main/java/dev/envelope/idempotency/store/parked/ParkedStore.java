package dev.envelope.idempotency.store.parked;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.row.Snapshot;
import java.util.List;

/**
 * The parked messages of keys.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when nobody knows what happened, and {@link OtherIncarnationException} when the database is in
 * another life than the one given.
 */
public interface ParkedStore {

    /**
     * A parked message.
     *
     * @param position its place among all that are parked
     */
    record Parked(long position, Message message) {}

    /**
     * The row that what is parked of a key makes by itself: it has no state, its marks have passed
     * each of these messages, and it counts them. So a key whose row somebody has deleted by hand
     * gets one again with its first {@linkplain #save save}, from version 0.
     */
    Snapshot rowOfParked(String key);

    /** How many more messages of a key are parked than its row counts, at one moment. */
    int uncounted(String key);

    /**
     * The first messages of a key, in the order in which they were parked. Of large ones there are
     * fewer, for the store caps them by bytes, but always one.
     */
    List<Parked> first(String key, int most);

    /**
     * Where the first messages of a key stand, up to that position; no message is read for it. Of
     * large ones there are fewer, but always one.
     */
    List<Long> positions(String key, long last, int most);

    /**
     * Saves a row and deletes those parked messages, in one transaction.
     *
     * @param next the row, one version higher; version 1 is made anew
     * @return false if the row was no longer at its version, or one of the messages is not parked
     *     any more; nothing was done
     */
    boolean save(Snapshot next, List<Long> positions, Incarnation incarnation);

    /**
     * Notes that a parked message was tried once more, and failed with that; it stays where it is.
     *
     * @param reason one word for grouping
     */
    void failedAgain(long position, String reason, String error);

    /** What stands in the place of values, of all messages. */
    List<Replacement> replacements();
}
