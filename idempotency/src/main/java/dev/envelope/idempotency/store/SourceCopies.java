package dev.envelope.idempotency.store;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The sources of one slot, and what they have to do with other slots. The first slot is the home of
 * all sources: it gives them their numbers, and knows which slots each feeds.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when the outcome is unknown; repeating it changes nothing.
 */
public interface SourceCopies {

    /**
     * A source.
     *
     * @param growth the round in which the partition came to its topic
     * @param settled whether what it brings need not wait for older partitions any more
     */
    record Copy(
            int number,
            TopicPartition partition,
            UUID topicId,
            @Nullable UUID firstTopicId,
            int generation,
            NextOffset start,
            int growth,
            boolean settled) {}

    /** At home: the slots that sources feed, by the number of the source. */
    Map<Integer, SortedSet<Integer>> fed();

    /** At home: records that a source feeds a slot, before anything of it is saved there. */
    void feeds(int source, int slot);

    /** All sources that this slot has. */
    List<Copy> all();

    /**
     * Has this slot know a source. If it knows it, nothing changes.
     *
     * @param checkpoint everything below it is durable here
     * @throws RefusedException if the slot has another source under the number
     */
    void copy(Copy source, NextOffset checkpoint);

    /** At home: no new source gets a number up to this one. */
    void giveNoNumberUpTo(int number);
}
