package dev.envelope.idempotency.store.parked;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import java.util.List;

/**
 * The parked messages of keys.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when the outcome is unknown, and {@link OtherIncarnationException} when the database is in
 * another incarnation than the given one.
 */
public interface ParkedStore {

    /**
     * A parked message.
     *
     * @param position its position among all parked messages
     */
    record Parked(long position, Message message) {}

    /**
     * A row made from the parked messages of a key alone: it has no state, its marks are past each
     * of these messages, and it counts them. So a key whose row was deleted by hand gets one again
     * with its first {@linkplain #save save}, from version 0.
     */
    Snapshot rowOfParked(String key);

    /** How many more messages of a key are parked than its row counts, read in one snapshot. */
    int uncounted(String key);

    /**
     * The first messages of a key, in the order in which they were parked. The store limits them by
     * bytes, but returns at least one.
     */
    List<Parked> first(String key, int most);

    /**
     * The positions of the first messages of a key, up to this one, without reading the messages.
     * Limited by bytes, too, but at least one.
     */
    List<Long> positions(String key, long last, int most);

    /**
     * Saves a step of a request: its row, without those parked messages, and those effects, in one
     * transaction. A process that was frozen can come here when another has the request.
     *
     * @param request of this process
     * @param next the row, one version higher; version 1 inserts it
     * @param effects what the handler wants to happen for these messages
     * @return false if the row has another version, or one of the messages is not parked any more,
     *     or another process has the request, or it was answered; then nothing was done
     */
    boolean save(
            Request request,
            Snapshot next,
            List<Long> positions,
            HandlerEffects effects,
            Incarnation incarnation);

    /** The same without effects. */
    default boolean save(
            Request request, Snapshot next, List<Long> positions, Incarnation incarnation) {
        return save(request, next, positions, HandlerEffects.NONE, incarnation);
    }

    /**
     * Records that a parked message was tried once more and failed; it stays parked. Nothing is
     * recorded if another process has the request, or it was answered.
     *
     * @param reason one word for grouping
     */
    void failedAgain(Request request, long position, String reason, String error);

    /** The replaced values of all messages. */
    List<Replacement> replacements();
}
