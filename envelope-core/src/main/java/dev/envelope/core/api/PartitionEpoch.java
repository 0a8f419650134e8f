package dev.envelope.core.api;

import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * One partition, from the moment it was positioned until it is revoked, lost or positioned anew.
 * Every message carries the epoch it was fetched in; what belongs to an epoch that is over changes
 * nothing any more (I6).
 *
 * <p>Threads: immutable but for its phase, which the poll thread writes and any thread reads.
 */
public final class PartitionEpoch {

    private enum Phase {
        LIVE,
        CLOSING,
        OVER
    }

    private static final NextOffset NOTHING = new NextOffset(0, NextOffset.NO_EPOCH);

    private final long number;
    private final TopicPartition partition;
    private final int source;
    private final Set<Integer> formerSources;
    private final Incarnation incarnation;
    private final NextOffset durableBelow;
    private final NextOffset durableUpTo;
    private volatile Phase phase = Phase.LIVE;

    /**
     * @param number grows with every epoch of the process
     * @param source the number under which marks and checkpoints name this partition's log
     * @param incarnation of the database when the position was read
     */
    public PartitionEpoch(
            long number, TopicPartition partition, int source, Incarnation incarnation) {
        this(number, partition, source, Set.of(), incarnation, NOTHING);
    }

    /** One whose rows are not divided. */
    public PartitionEpoch(
            long number,
            TopicPartition partition,
            int source,
            Set<Integer> formerSources,
            Incarnation incarnation,
            NextOffset durableBelow) {
        this(number, partition, source, formerSources, incarnation, durableBelow, durableBelow);
    }

    /**
     * @param formerSources those of the same log before accepted truncations
     * @param durableBelow the checkpoint when the position was read: records below it are read
     *     again
     * @param durableUpTo records at or above it were durable nowhere
     */
    public PartitionEpoch(
            long number,
            TopicPartition partition,
            int source,
            Set<Integer> formerSources,
            Incarnation incarnation,
            NextOffset durableBelow,
            NextOffset durableUpTo) {
        this.durableBelow = durableBelow;
        this.durableUpTo = durableUpTo;
        this.number = number;
        this.partition = partition;
        this.source = source;
        this.formerSources = Set.copyOf(formerSources);
        this.incarnation = incarnation;
    }

    public long number() {
        return number;
    }

    public TopicPartition partition() {
        return partition;
    }

    public int source() {
        return source;
    }

    public Set<Integer> formerSources() {
        return formerSources;
    }

    public Incarnation incarnation() {
        return incarnation;
    }

    /**
     * Whether the record at this offset may have been durable already when the epoch began: surely
     * where rows are not divided, otherwise perhaps in some slots and not in others.
     */
    public boolean mayReadAgain(long offset) {
        return offset < durableUpTo.offset();
    }

    /**
     * Whether this record was already durable when the epoch began. A record below the checkpoint
     * with a later leader epoch than the checkpoint is another one: it was written after a
     * truncation that has not been noticed yet.
     */
    public boolean readsAgain(Message message) {
        boolean isOfOtherLog =
                durableBelow.leaderEpoch() != NextOffset.NO_EPOCH
                        && message.leaderEpoch() > durableBelow.leaderEpoch();
        return message.offset() < durableBelow.offset() && !isOfOtherLog;
    }

    /** Whether its messages may enter a turn. */
    public boolean isLive() {
        return phase == Phase.LIVE;
    }

    /** Whether its acks, timers and results are ignored. */
    public boolean isOver() {
        return phase == Phase.OVER;
    }

    /** No message of it enters a turn from now on; what is in a turn may still be acked. */
    public void close() {
        if (phase == Phase.LIVE) {
            phase = Phase.CLOSING;
        }
    }

    /** Its acks, timers and results are ignored from now on. */
    public void end() {
        phase = Phase.OVER;
    }

    @Override
    public String toString() {
        return partition + "#" + number;
    }
}
