package dev.envelope.idempotency.store.operator;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What an operator sees of parked messages, and where those that can't have a row are deleted.
 *
 * <p>Threads: one thread.
 */
public interface ParkedCatalog extends Catalog {

    /** More of a value, or of a header's, is nothing for a screen: it is not even read. */
    int MOST_BYTES = 16 << 10;

    /**
     * A key with parked messages.
     *
     * @param first the first of them, by topic, partition and offset
     * @param error what it failed with
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
     * Which keys, by the first of their parked messages. What is null does not matter.
     *
     * @param why it was parked: the reason itself, or part of the error
     * @param since it was parked then or later
     * @param until it was parked before
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
     * @param failedAgain when it failed last after it was parked, if it did
     * @param valueBytes how long the value is, of which this may be the beginning
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
     * @param withRow those of keys
     * @param withoutRow those that can't have a row
     */
    record Reasons(Map<String, Long> withRow, Map<String, Long> withoutRow) {}

    /**
     * The keys that have parked messages, longest parked first.
     *
     * @param reason only those with a message that was parked for it, or null for all
     * @param after only those whose first message is behind this position
     */
    List<ParkedKey> keys(@Nullable String reason, long after, int most);

    /** How many keys have parked messages. */
    long countKeys();

    /**
     * Keys that are frozen by a message like that, longest parked first.
     *
     * @param most no further ones are looked for once there are so many
     */
    List<ParkedKey> selected(Selection which, int most);

    /** How many messages are parked for which reason; it reads all of the table. */
    Reasons reasons();

    /**
     * Messages in the order in which they were parked; of keys, values and headers that are longer
     * than {@link #MOST_BYTES} the beginning.
     *
     * @param key of these, or null for all
     * @param after only those behind this position
     */
    List<Entry> messages(@Nullable String key, long after, int most);

    /** The same of messages that can't have a row. */
    List<Entry> messagesWithoutRow(long after, int most);

    /**
     * Deletes messages that can't have a row. No key waits for them, so nobody has to be asked. One
     * that the checkpoint has not passed yet may be read again: it leaves a trace, so that it is
     * not parked anew.
     *
     * @return the positions of those that were there
     */
    List<Long> deleteWithoutRow(List<Long> positions, String by);

    /** All of them, however many there are, whole. */
    void export(@Nullable String key, Consumer<Entry> to);
}
