package dev.envelope.integration.simulation;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.turn.Turn;
import java.util.OptionalLong;

/**
 * What must hold of one process' memory: it counts what it holds (I8), and holds no more than its
 * ceilings allow (I10).
 *
 * <p>Threads: one thread.
 */
final class EngineChecks {

    /** More than any record of the workload is counted with. */
    private static final long RECORD_BYTES = 800;

    private final World world;

    EngineChecks(World world) {
        this.world = world;
    }

    void turned(
            SimInstance process, EngineStatus status, PollLoop.Limits limits, SimFetcher fetcher) {
        int aPoll = world.formats().pollsAhead() * SimFetcher.MOST_RECORDS;
        long held = 0;
        for (PartitionStatus partition : status.partitions()) {
            held += partition.heldBytes();
            check(process, partition, fetcher);
            if (partition.unacked() > limits.aheadMaxRecords() + aPoll) {
                world.checks().fail("I10", process.name() + " is too far ahead: " + partition);
            }
        }
        long onePollEach = RECORD_BYTES * aPoll * status.partitions().size();
        if (held > limits.prefetchBytes() + onePollEach) {
            world.checks().fail("I10", process.name() + " holds " + held + " bytes: " + status);
        }
    }

    private void check(SimInstance process, PartitionStatus partition, SimFetcher fetcher) {
        OptionalLong bytes =
                fetcher.bytesBetween(
                        partition.partition(),
                        partition.firstUnacked(),
                        partition.position(),
                        partition.unacked());
        boolean isWrong =
                partition.unacked() == 0
                        ? partition.heldBytes() != 0
                        : bytes.isPresent() && bytes.getAsLong() != partition.heldBytes();
        if (isWrong) {
            world.checks().fail("I8", process.name() + " counts " + partition + ", it is " + bytes);
        }
    }

    void turnBegins(SimInstance process, Turn turn, TurnLimits limits) {
        int messages = 0;
        for (Envelope envelope : turn.envelopes()) {
            world.doubts().applying(process, envelope);
            messages += envelope.size();
            if (process.keys().isPaused(envelope.key()) && envelope.carried() == null) {
                world.checks().fail("held-back", process.name() + " goes on with " + envelope);
            }
            if (envelope.carried() == null) {
                world.checks().pauses().entersTurn(process, envelope);
            }
            if (envelope.size() > limits.envelopeMessages()) {
                world.checks().fail("I10", process.name() + ": an envelope of " + envelope.size());
            }
        }
        if (messages > limits.turnMessages() + limits.envelopeMessages()) {
            world.checks().fail("I10", process.name() + ": a turn of " + messages);
        }
    }
}
