package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The records that wait to be delivered, in the order in which they were written down; of one key
 * that is the order of its messages.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when nobody knows what happened, and {@link OtherIncarnationException} when the database is in
 * another life than the one given.
 */
public interface OutboxStore {

    /**
     * How much waits.
     *
     * @param rows not counted further than was asked for
     * @param oldest how long the first of them has waited, by the database's clock
     */
    record Depth(int rows, Duration oldest) {

        /** Nothing waits. */
        public static final Depth NONE = new Depth(0, Duration.ZERO);
    }

    /**
     * Where a record comes from, in words that are the same wherever it is read.
     *
     * @param generation of the source; 0 but after an accepted truncation
     */
    record Origin(
            Uuid topicId,
            int generation,
            int partition,
            long offset,
            int leaderEpoch,
            int ordinal) {}

    /** A record and its place among all. */
    record Waiting(
            long position,
            Origin origin,
            String topic,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers) {}

    /**
     * Some of what waits.
     *
     * @param incarnation the life of the database that they were read in: places of another life
     *     may be those of other records
     */
    record Batch(Incarnation incarnation, List<Waiting> records) {}

    /** How much waits, counted up to a bound. */
    Depth depth(int most);

    /**
     * Asks to be the one that delivers, for so long.
     *
     * @return false if another process is
     */
    boolean lead(Duration lease);

    /** Leaves delivering to others at once. */
    void leave();

    /**
     * The first records, no more than so many and, beyond the first, no more than so many bytes.
     */
    default Batch first(int most, long maxBytes) {
        return firstWithout(List.of(), most, maxBytes);
    }

    /** The same as if those at these places were not there. */
    Batch firstWithout(List<Long> positions, int most, long maxBytes);

    /** Deletes what was delivered, in that life of the database alone. */
    void delete(List<Long> positions, Incarnation incarnation);
}
