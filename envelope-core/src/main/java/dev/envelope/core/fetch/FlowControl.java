package dev.envelope.core.fetch;

import dev.envelope.core.assignment.Assigned;
import dev.envelope.core.assignment.AssignedPartition;
import dev.envelope.core.assignment.AssignedPartition.Flowing;
import dev.envelope.core.assignment.OperatorPauses;
import dev.envelope.core.offset.OffsetLedger;
import dev.envelope.core.status.PartitionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Keeps what is fetched and not yet acked within the window, by pausing partitions.
 *
 * <p>The window is shared equally over the assigned partitions, and idle shares are lent: below
 * half of it every partition may fetch; above that only those below their share. Full, only a
 * partition with nothing in flight may: it always gets one poll, whatever its size. A partition
 * also pauses when too many records lie ahead of its first unacked one.
 *
 * <p>The set of paused partitions is worked out anew each turn from what is so now; nothing about
 * it is remembered over a rebalance.
 *
 * <p>Threads: poll thread only.
 */
final class FlowControl {

    private final Consumer<?, ?> consumer;
    private final Assigned assignment;
    private final Window window;
    private final long maxSpan;
    private final Predicate<AssignedPartition> heldBack;
    private final OperatorPauses pauses;
    private boolean closed;
    private boolean holdsBack;

    /**
     * @param heldBack partitions that are not to be fetched for another reason
     */
    FlowControl(
            Consumer<?, ?> consumer,
            Assigned assignment,
            Window window,
            long maxSpan,
            Predicate<AssignedPartition> heldBack,
            OperatorPauses pauses) {
        this.consumer = consumer;
        this.assignment = assignment;
        this.window = window;
        this.maxSpan = maxSpan;
        this.heldBack = heldBack;
        this.pauses = pauses;
    }

    /** Pauses and resumes what should be. */
    void turn() {
        long inFlight = inFlightBytes();
        long share = window.bytes() / Math.max(1, assignment.all().size());
        Set<TopicPartition> paused = consumer.paused();
        List<TopicPartition> toPause = new ArrayList<>();
        List<TopicPartition> toResume = new ArrayList<>();
        holdsBack = false;
        for (AssignedPartition assigned : assignment.all()) {
            boolean mayFetch = mayFetch(assigned, inFlight, share);
            holdsBack |= !mayFetch && waitsForAcks(assigned);
            boolean isPaused = paused.contains(assigned.partition());
            if (mayFetch && isPaused) {
                toResume.add(assigned.partition());
            } else if (!mayFetch && !isPaused) {
                toPause.add(assigned.partition());
            }
        }
        window.turn(unacked(), holdsBack);
        if (!toPause.isEmpty()) {
            consumer.pause(toPause);
        }
        if (!toResume.isEmpty()) {
            consumer.resume(toResume);
        }
    }

    private boolean waitsForAcks(AssignedPartition assigned) {
        return assigned.phase() instanceof Flowing
                && !assigned.hasInHand()
                && !pauses.holds(assigned.partition());
    }

    private boolean mayFetch(AssignedPartition assigned, long inFlight, long share) {
        if (closed || !(assigned.phase() instanceof Flowing flowing) || heldBack.test(assigned)) {
            return false;
        }
        if (assigned.hasInHand() || pauses.holds(assigned.partition())) {
            return false;
        }
        OffsetLedger ledger = flowing.commitment().ledger();
        if (ledger.isEmpty()) {
            return true;
        }
        if (ledger.span() >= maxSpan || inFlight >= window.bytes()) {
            return false;
        }
        return inFlight < window.bytes() / 2 || ledger.heldBytes() < share;
    }

    private long unacked() {
        return assignment.all().stream()
                .flatMap(it -> it.commitment().stream())
                .mapToLong(it -> it.ledger().unacked())
                .sum();
    }

    long inFlightBytes() {
        long sum = 0;
        for (AssignedPartition assigned : assignment.all()) {
            if (assigned.commitment().isPresent()) {
                sum += assigned.commitment().get().ledger().heldBytes();
            }
        }
        return sum;
    }

    /** Why a partition is not fetched at the moment; empty if it is. */
    String pausedBecause(AssignedPartition assigned, long now) {
        AssignedPartition.Phase phase = assigned.phase();
        if (phase instanceof AssignedPartition.Finding) {
            return "its position is being looked for";
        } else if (phase instanceof AssignedPartition.Finishing) {
            return "its position is not in the log any more; what was read is saved first";
        } else if (phase instanceof AssignedPartition.Stopped stopped) {
            return stopped.reason();
        } else if (closed) {
            return "closing";
        } else if (pauses.holds(assigned.partition())) {
            return "an operator has paused it";
        } else if (assigned.held().isPresent()) {
            return assigned.held().get().toString();
        } else if (assigned.undecoded().isPresent()) { // which is usual for a moment
            return assigned.undecoded()
                    .filter(it -> it.isInTrouble(now))
                    .map(it -> it.inWords(now))
                    .orElse("");
        } else if (heldBack.test(assigned)) {
            return "held back for a moment, to see whether polling fails for it";
        }
        long share = window.bytes() / Math.max(1, assignment.all().size());
        return mayFetch(assigned, inFlightBytes(), share) ? "" : PartitionStatus.ENOUGH;
    }

    /** Fetch nothing more. */
    void close() {
        closed = true;
    }

    /** Whether a partition waits for acks before it may fetch: then acks are worth a quick look. */
    boolean holdsBack() {
        return holdsBack;
    }
}
