package dev.envelope.core.guard;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.assignment.Assigned;
import dev.envelope.core.assignment.AssignedPartition;
import dev.envelope.core.assignment.AssignedPartition.Flowing;
import dev.envelope.core.assignment.HeldBatch;
import dev.envelope.core.background.Background;
import dev.envelope.core.background.RepeatedQuestion;
import dev.envelope.core.position.PositionFinder;
import dev.envelope.core.position.Young;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds back what partitions bring that were added while their topic was in use, until what was
 * sent before to the older partitions is saved: producers learn of new partitions late, and a key
 * may have messages in an old and in a new one.
 *
 * <p>A batch that was fetched is held; then it is asked where the older logs end; when their
 * checkpoints in the database, whoever owns them, have passed these ends, the batch goes to the
 * shards and the next is fetched. That ends with the first batch that was asked for when all
 * producers had to know of the partition. A batch in hand is in no ledger and no budget, and is
 * forgotten with its assignment.
 *
 * <p>Threads: poll thread only; both servers are asked in the background.
 */
final class GrowthBarrier {

    private static final Logger log = LoggerFactory.getLogger(GrowthBarrier.class);
    private static final Duration EVERY = Duration.ofMillis(200);

    private final Assigned assignment;
    private final PositionFinder finder;
    private final Ticker ticker;
    private final Background background;
    private final RepeatedQuestion older;
    private final List<AssignedPartition> free = new ArrayList<>();

    GrowthBarrier(
            Assigned assignment, PositionFinder finder, Background background, Ticker ticker) {
        this.assignment = assignment;
        this.finder = finder;
        this.ticker = ticker;
        this.background = background;
        this.older = background.repeated(EVERY, log, "looking how far older partitions are");
        older.hurry();
    }

    /** Of what was polled and what is in hand, that which may go to the shards now. */
    ConsumerRecords<byte @Nullable [], byte @Nullable []> admit(
            ConsumerRecords<byte @Nullable [], byte @Nullable []> polled) {
        if (free.isEmpty() && polled.partitions().stream().noneMatch(this::isBarred)) {
            return polled;
        }
        Map<TopicPartition, List<ConsumerRecord<byte @Nullable [], byte @Nullable []>>> through =
                new LinkedHashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>(polled.nextOffsets());
        for (TopicPartition name : polled.partitions()) {
            if (isBarred(name)) {
                HeldBatch batch =
                        HeldBatch.of(polled.records(name), Optional.ofNullable(next.remove(name)));
                assignment
                        .get(name)
                        .ifPresent(it -> it.hold(it.held().map(b -> b.plus(batch)).orElse(batch)));
            } else {
                through.put(name, polled.records(name));
            }
        }
        for (AssignedPartition partition : free) {
            if (isOpen(partition)) {
                partition
                        .held()
                        .filter(HeldBatch::isFree) // or more has come since
                        .ifPresent(
                                batch -> {
                                    partition.holdNothing();
                                    through.put(partition.partition(), batch.records());
                                    batch.next()
                                            .ifPresent(it -> next.put(partition.partition(), it));
                                });
            }
        }
        free.clear();
        return new ConsumerRecords<>(through, next);
    }

    private boolean isBarred(TopicPartition name) {
        return assignment
                .get(name)
                .filter(this::isOpen)
                .filter(it -> it.young().isPresent())
                .isPresent();
    }

    private boolean isOpen(AssignedPartition partition) {
        return assignment.has(partition) && partition.phase() instanceof Flowing;
    }

    /** Asks how far the older partitions are, while something waits for them. */
    void turn() {
        if (!older.isDue()) {
            return;
        }
        Map<AssignedPartition, HeldBatch> waiting = new LinkedHashMap<>();
        for (AssignedPartition partition : assignment.all()) {
            if (isOpen(partition)) {
                partition.held().ifPresent(batch -> waiting.put(partition, batch));
            }
        }
        if (!waiting.isEmpty()) {
            long now = ticker.nanoTime();
            older.ask(() -> look(waiting.keySet()), progress -> answered(waiting, now, progress));
        }
    }

    /** How far older partitions are, and where their logs ended before that was read. */
    private record Progress(
            Map<TopicPartition, NextOffset> ends, Map<TopicPartition, NextOffset> done) {}

    /** Background: where the older logs end first, and then how far they are done. */
    private Progress look(Set<AssignedPartition> waiting) {
        Set<TopicPartition> all = new HashSet<>();
        waiting.forEach(partition -> all.addAll(older(partition)));
        Map<TopicPartition, NextOffset> ends = all.isEmpty() ? Map.of() : finder.ends(all);
        return new Progress(ends, finder.done(all));
    }

    private static Set<TopicPartition> older(AssignedPartition partition) {
        return partition.young().map(Young::older).orElse(Set.of());
    }

    private void answered(
            Map<AssignedPartition, HeldBatch> waiting, long askedAt, Progress progress) {
        waiting.forEach(
                (partition, asked) -> {
                    boolean isSame = partition.held().equals(Optional.of(asked));
                    if (isOpen(partition) && isSame) {
                        answered(partition, asked, askedAt, progress);
                    }
                });
    }

    private void answered(
            AssignedPartition partition, HeldBatch asked, long askedAt, Progress progress) {
        HeldBatch batch = asked;
        if (batch.ends().isEmpty()) {
            Map<TopicPartition, NextOffset> its = new HashMap<>(progress.ends());
            its.keySet().retainAll(older(partition));
            if (!its.keySet().equals(older(partition))) {
                return; // not all brokers know of themselves yet
            }
            batch = batch.endingAt(its, partition.isSettledAt(askedAt));
        } else {
            batch = batch.endingNotBehind(progress.ends());
        }
        batch = batch.against(progress.done());
        partition.hold(batch);
        if (batch.isFree()) {
            free.add(partition);
            if (batch.endsSettle()) {
                settled(partition);
            }
        }
    }

    private void settled(AssignedPartition partition) {
        partition.settled();
        log.info("what {} brings does not wait for older partitions any more", partition);
        partition.found().ifPresent(it -> settle(it.source()));
    }

    /** If it fails, the barrier is there again at the next assignment, for a moment. */
    private void settle(int source) {
        background.ask(
                "recording a settled source",
                () -> {
                    finder.settle(source);
                    return source;
                },
                settled -> {},
                e -> log.info("source {} is not recorded as settled: {}", source, e.getMessage()));
    }
}
