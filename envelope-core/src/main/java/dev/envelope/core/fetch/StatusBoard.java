package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.assignment.Assigned;
import dev.envelope.core.assignment.AssignedPartition;
import dev.envelope.core.assignment.AssignedPartition.Stopped;
import dev.envelope.core.guard.GuardRails;
import dev.envelope.core.membership.Membership;
import dev.envelope.core.offset.Commitment;
import dev.envelope.core.offset.Committer;
import dev.envelope.core.offset.OffsetLedger;
import dev.envelope.core.offset.Skip;
import dev.envelope.core.pool.WorkerPool;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.PartitionStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * Where the poll thread writes how things stand, so that anybody can read it without asking.
 *
 * <p>Threads: written by the poll thread, read by all (one volatile reference).
 */
final class StatusBoard {

    private static final long INTERVAL_NANOS = 200_000_000;

    private final Consumer<?, ?> consumer;
    private final Assigned assignment;
    private final FlowControl flow;
    private final Committer committer;
    private final GuardRails guards;
    private final WorkerPool pool;
    private final Ticker ticker;
    private volatile EngineStatus status;

    StatusBoard(
            Consumer<?, ?> consumer,
            Assigned assignment,
            FlowControl flow,
            Committer committer,
            GuardRails guards,
            WorkerPool pool,
            Ticker ticker) {
        this.consumer = consumer;
        this.assignment = assignment;
        this.flow = flow;
        this.committer = committer;
        this.guards = guards;
        this.pool = pool;
        this.ticker = ticker;
        this.status = EngineStatus.begun(ticker.nanoTime());
    }

    EngineStatus read() {
        return status;
    }

    void turn(boolean joined, Membership membership) {
        long now = ticker.nanoTime();
        if (now - status.beatNanos() < INTERVAL_NANOS) {
            return;
        }
        List<PartitionStatus> partitions = new ArrayList<>();
        for (AssignedPartition assigned : assignment.all()) {
            partitions.add(of(assigned, now));
        }
        partitions.sort(
                Comparator.comparing((PartitionStatus it) -> it.partition().topic())
                        .thenComparing(it -> it.partition().partition()));
        boolean isStoreReachable = committer.isStoreReachable() && !pool.isStoreOut();
        status =
                new EngineStatus(
                        now,
                        joined,
                        membership.generation(),
                        isStoreReachable,
                        committer.notCommitted(),
                        guards.missing(),
                        partitions);
    }

    private PartitionStatus of(AssignedPartition assigned, long now) {
        boolean stopped = assigned.phase() instanceof Stopped;
        String skipped =
                assigned.found().stream()
                        .flatMap(it -> it.skips().stream())
                        .map(Skip::toString)
                        .collect(Collectors.joining("; "));
        String paused = flow.pausedBecause(assigned, now);
        if (assigned.commitment().isEmpty()) {
            return new PartitionStatus(
                    assigned.partition(),
                    0,
                    0,
                    0,
                    0,
                    -1,
                    0,
                    0,
                    0,
                    paused,
                    "",
                    skipped,
                    stopped,
                    null);
        }
        Commitment commitment = assigned.commitment().get();
        OffsetLedger ledger = commitment.ledger();
        long position = assigned.nextToPoll(ledger);
        long firstUnacked = ledger.committable().offset();
        OptionalLong behind = consumer.currentLag(assigned.partition());
        return new PartitionStatus(
                assigned.partition(),
                commitment.epoch().number(),
                position,
                firstUnacked,
                commitment.committed().offset(),
                behind.isEmpty() ? -1 : behind.getAsLong() + position - firstUnacked,
                ledger.unacked(),
                ledger.heldBytes(),
                (now - ledger.oldestArrival(now)) / 1_000_000,
                paused,
                assigned.undecoded()
                        .filter(it -> it.isInTrouble(now))
                        .map(it -> it.inWords(now))
                        .orElse(""),
                skipped,
                stopped,
                ledger.firstUnacked(assigned.partition()));
    }
}
