package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.output.Origin;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The records that wait to be delivered, in the order in which they were inserted; for one key that
 * is the order of its messages.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when the outcome is unknown, and {@link OtherIncarnationException} when the database is in
 * another incarnation than the given one.
 */
public interface OutboxStore {

    /**
     * The depth of the outbox.
     *
     * @param rows how many records wait, counted up to the given limit
     * @param oldest how long the first has waited, by the database's clock
     */
    record Depth(int rows, Duration oldest) {

        /** An empty outbox. */
        public static final Depth NONE = new Depth(0, Duration.ZERO);
    }

    /** A record and its position in the outbox. */
    record Waiting(
            long position,
            Origin origin,
            String topic,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers) {}

    /**
     * Records that were read together.
     *
     * @param incarnation the incarnation in which they were read; in another one these positions
     *     may be those of other records
     */
    record Batch(Incarnation incarnation, List<Waiting> records) {}

    /** The depth of the outbox, counted up to a limit. */
    Depth depth(int most);

    /**
     * Takes or renews the lease to deliver.
     *
     * @return false if another process has it
     */
    boolean lead(Duration lease);

    /** Gives the lease up. */
    void leave();

    /** The first records, limited in number and, after the first one, in bytes. */
    default Batch first(int most, long maxBytes) {
        return firstWithout(List.of(), most, maxBytes);
    }

    /** The same without the records at these positions. */
    Batch firstWithout(List<Long> positions, int most, long maxBytes);

    /** Deletes delivered records, only in the given incarnation. */
    void delete(List<Long> positions, Incarnation incarnation);
}
