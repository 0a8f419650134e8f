package dev.envelope.core.api;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * The offset that comes next: what is committed, checkpointed, sought and marked. Every lower
 * offset is done.
 *
 * @param offset the first offset that is not done
 * @param leaderEpoch the leader epoch of the record before it or, at a start, {@link #NO_EPOCH}
 */
public record NextOffset(long offset, int leaderEpoch) implements Comparable<NextOffset> {

    /** An unknown leader epoch. */
    public static final int NO_EPOCH = -1;

    public NextOffset {
        if (offset < 0 || leaderEpoch < NO_EPOCH) {
            throw new InvariantViolation("no offset: " + offset + " at epoch " + leaderEpoch);
        }
    }

    /** The only place that adds one. */
    public static long after(long lastOffset) {
        return lastOffset + 1;
    }

    /** The position after a record at that offset. */
    public static NextOffset after(long lastOffset, int leaderEpoch) {
        return new NextOffset(after(lastOffset), leaderEpoch);
    }

    /** The position after a record. */
    public static NextOffset after(ConsumerRecord<?, ?> record) {
        return after(record.offset(), record.leaderEpoch().orElse(NO_EPOCH));
    }

    /** Converts the client's type. */
    public static NextOffset of(OffsetAndMetadata next) {
        return new NextOffset(next.offset(), next.leaderEpoch().orElse(NO_EPOCH));
    }

    @Override
    public int compareTo(NextOffset other) {
        return Long.compare(offset, other.offset);
    }

    @Override
    public String toString() {
        return leaderEpoch == NO_EPOCH ? Long.toString(offset) : offset + "@" + leaderEpoch;
    }
}
