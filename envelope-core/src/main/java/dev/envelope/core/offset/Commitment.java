package dev.envelope.core.offset;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;

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
    private NextOffset checkpointed;
    private NextOffset committed;

    /** Begins where the partition was positioned; nothing counts as committed yet. */
    public Commitment(PartitionEpoch epoch, NextOffset start) {
        this.epoch = epoch;
        this.ledger = new OffsetLedger(start);
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

    boolean hasNews() {
        return ledger.committable().compareTo(committed) > 0;
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
    }
}
