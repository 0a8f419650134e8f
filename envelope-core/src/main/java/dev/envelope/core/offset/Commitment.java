package dev.envelope.core.offset;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * How far one partition epoch has come: received and acked in its ledger, checkpointed in the
 * database, committed in Kafka. Each is at or behind the one before it (I1), and none goes back
 * (I9).
 *
 * <p>Threads: poll thread only.
 */
public final class Commitment {

    private final PartitionEpoch epoch;
    private final OffsetLedger ledger;
    private final @Nullable Memory memory;
    private NextOffset checkpointed;
    private NextOffset committed;

    /** Begins where the partition was positioned; nothing counts as committed yet. */
    public Commitment(PartitionEpoch epoch, NextOffset start) {
        this(epoch, start, null);
    }

    /**
     * The same.
     *
     * @param memory what its commits say beside the offset; null where a database knows it
     */
    public Commitment(PartitionEpoch epoch, NextOffset start, @Nullable Memory memory) {
        this.epoch = epoch;
        this.ledger = new OffsetLedger(start);
        this.memory = memory;
        this.checkpointed = start;
        this.committed = new NextOffset(0, NextOffset.NO_EPOCH);
    }

    public PartitionEpoch epoch() {
        return epoch;
    }

    public OffsetLedger ledger() {
        return ledger;
    }

    public NextOffset checkpointed() {
        return checkpointed;
    }

    public NextOffset committed() {
        return committed;
    }

    /** Whether the checkpoint says all that it may. */
    public boolean isCheckpointed() {
        return checkpointed.compareTo(ledger.committable()) >= 0;
    }

    /**
     * Whether the record at this offset was done before the partition was positioned. One of a
     * later leader epoch is another record, in a log that was truncated meanwhile.
     */
    public boolean isDoneAhead(long offset, int leaderEpoch) {
        return memory != null && memory.has(offset, leaderEpoch);
    }

    /** The brokers have refused what its commit says beside the offset, since it is too long. */
    void remembersLess() {
        if (memory != null) {
            memory.remembersLess();
        }
    }

    boolean hasNews() {
        return ledger.committable().compareTo(committed) > 0
                || (memory != null && memory.hasNews(ledger));
    }

    /** What a commit up to there consists of. */
    OffsetAndMetadata stamped(NextOffset next) {
        return memory == null ? Stamp.stamped(next, epoch.source()) : memory.stamped(next, ledger);
    }

    void checkpointed(NextOffset next) {
        if (next.compareTo(ledger.committable()) > 0) {
            throw new InvariantViolation(
                    "I1: checkpoint " + next + " is ahead of " + ledger.committable());
        }
        if (next.compareTo(checkpointed) > 0) {
            checkpointed = next;
        }
    }

    void committed(NextOffset next) {
        if (next.compareTo(checkpointed) > 0) {
            throw new InvariantViolation(
                    "I1: commit " + next + " is ahead of the checkpoint " + checkpointed);
        }
        if (next.compareTo(committed) > 0) {
            committed = next;
        }
        if (memory != null) {
            memory.committed();
        }
    }
}
