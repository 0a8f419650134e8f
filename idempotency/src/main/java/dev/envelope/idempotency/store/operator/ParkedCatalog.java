package dev.envelope.idempotency.store.operator;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What an operator sees of parked messages; also deletes those that can't have a row.
 *
 * <p>Threads: one thread.
 */
public interface ParkedCatalog extends Catalog {

    /** Longer values and header values are cut; the rest is not even read. */
    int MOST_BYTES = 16 << 10;

    /**
     * A key with parked messages.
     *
     * @param first the first of them, as topic, partition and offset
     * @param error the error of the first one
     */
    record ParkedKey(
            String key,
            long messages,
            long position,
            String first,
            String reason,
            int attempts,
            String error,
            Instant since) {}

    /**
     * Selects keys by the first of their parked messages. Null matches all.
     *
     * @param why the reason, or a part of the error
     * @param since parked at this time or later
     * @param until parked before this time
     */
    record Selection(
            @Nullable String why,
            @Nullable String partition,
            @Nullable Instant since,
            @Nullable Instant until) {}

    /**
     * A parked message.
     *
     * @param rowKey null for one that can't have a row
     * @param failedAgain when it last failed after it was parked; null if it did not
     * @param valueBytes the length of the whole value, which may be cut here
     */
    record Entry(
            long position,
            @Nullable String rowKey,
            String place,
            long timestampMillis,
            String reason,
            int attempts,
            String error,
            Instant since,
            @Nullable Instant failedAgain,
            int valueBytes,
            byte @Nullable [] key,
            byte @Nullable [] value,
            List<Header> headers) {}

    /**
     * How many messages are parked, by reason.
     *
     * @param withRow messages of keys
     * @param withoutRow messages that can't have a row
     */
    record Reasons(Map<String, Long> withRow, Map<String, Long> withoutRow) {}

    /**
     * The keys that have parked messages, longest parked first.
     *
     * @param reason only keys with a message that was parked for this reason, or null for all
     * @param after only keys whose first message is after this position
     */
    List<ParkedKey> keys(@Nullable String reason, long after, int most);

    /** How many keys have parked messages. */
    long countKeys();

    /**
     * The keys whose first parked message matches, longest parked first.
     *
     * @param most the search ends once this many are found
     */
    List<ParkedKey> selected(Selection which, int most);

    /** How many messages are parked for each reason; reads the whole table. */
    Reasons reasons();

    /**
     * Messages in the order in which they were parked; keys, values and headers are cut at {@link
     * #MOST_BYTES}.
     *
     * @param key only messages of this key, or null for all
     * @param after only messages after this position
     */
    List<Entry> messages(@Nullable String key, long after, int most);

    /** The same for messages that can't have a row. */
    List<Entry> messagesWithoutRow(long after, int most);

    /**
     * Deletes messages that can't have a row. No key waits for them, so this needs no request. A
     * message that is not below the checkpoint yet may be read again; a row in {@code dropped}
     * keeps it from being parked again.
     *
     * @return the positions of those that were deleted
     */
    List<Long> deleteWithoutRow(List<Long> positions, String by);

    /** Passes all messages, uncut, to the consumer. */
    void export(@Nullable String key, Consumer<Entry> to);
}
