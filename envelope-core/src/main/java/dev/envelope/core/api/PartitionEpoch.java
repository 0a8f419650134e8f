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

    /**
     * Up to where a partition's records were durable when its position was read. Where rows are
     * divided, each slot has a checkpoint of its own, and some of them may have gone back.
     */
    public interface Durable {

        /** Records at or above it were durable nowhere. */
        NextOffset highest();

        /** The checkpoint of the slot that has the row of this key. */
        NextOffset of(String rowKey);

        /** Where rows are not divided, or no slot is behind the others. */
        static Durable everywhere(NextOffset checkpoint) {
            return new Everywhere(checkpoint);
        }
    }

    private record Everywhere(NextOffset highest) implements Durable {
        @Override
        public NextOffset of(String rowKey) {
            return highest;
        }
    }

    private static final NextOffset NOTHING = new NextOffset(0, NextOffset.NO_EPOCH);

    private final long number;
    private final TopicPartition partition;
    private final int source;
    private final Set<Integer> formerSources;
    private final Incarnation incarnation;
    private final NextOffset durableBelow;
    private final Durable durable;
    private final long durableUpTo;
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
        this(
                number,
                partition,
                source,
                formerSources,
                incarnation,
                durableBelow,
                Durable.everywhere(durableBelow));
    }

    /**
     * @param formerSources those of the same log before accepted truncations
     * @param durableBelow the lowest checkpoint when the position was read: records below it are
     *     read again
     * @param durable the checkpoints of all slots
     */
    public PartitionEpoch(
            long number,
            TopicPartition partition,
            int source,
            Set<Integer> formerSources,
            Incarnation incarnation,
            NextOffset durableBelow,
            Durable durable) {
        this.durableBelow = durableBelow;
        this.durable = durable;
        this.durableUpTo = durable.highest().offset();
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
        return offset < durableUpTo;
    }

    /**
     * Whether this record was already durable in its slot when the epoch began. A record below the
     * checkpoint with a later leader epoch than the checkpoint is another one: it was written after
     * a truncation that has not been noticed yet.
     */
    public boolean readsAgain(Message message) {
        if (!mayReadAgain(message.offset())) {
            return false;
        }
        NextOffset its = durable.of(message.key());
        boolean isOfOtherLog =
                its.leaderEpoch() != NextOffset.NO_EPOCH
                        && message.leaderEpoch() > its.leaderEpoch();
        return message.offset() < its.offset() && !isOfOtherLog;
    }

    /**
     * Whether this record is only read again since another slot has gone back. Its own slot is done
     * with it, also if no mark says so: it was skipped there. Never where rows are not divided.
     */
    public boolean readsAgainForOthers(Message message) {
        return message.offset() >= durableBelow.offset() && readsAgain(message);
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
