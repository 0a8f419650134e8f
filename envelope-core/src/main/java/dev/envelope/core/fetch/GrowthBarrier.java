package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.fetch.AssignedPartition.Flowing;
import dev.envelope.core.offset.Outage;
import dev.envelope.core.offset.PositionFinder;
import dev.envelope.core.offset.Young;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
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
    private static final long EVERY_NANOS = Duration.ofMillis(200).toNanos();

    private final Assignment assignment;
    private final PositionFinder finder;
    private final Environment environment;
    private final Executor errands;
    private final Outage outage = new Outage(log, "looking how far older partitions are");
    private final List<AssignedPartition> free = new ArrayList<>();
    private long nextAt;
    private boolean underWay;

    GrowthBarrier(
            Assignment assignment,
            PositionFinder finder,
            Environment environment,
            Executor errands) {
        this.assignment = assignment;
        this.finder = finder;
        this.environment = environment;
        this.errands = errands;
        this.nextAt = environment.ticker().nanoTime();
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
        long now = environment.ticker().nanoTime();
        if (underWay || now - nextAt < 0) {
            return;
        }
        nextAt = now + EVERY_NANOS;
        Map<AssignedPartition, HeldBatch> waiting = new LinkedHashMap<>();
        for (AssignedPartition partition : assignment.all()) {
            if (isOpen(partition)) {
                partition.held().ifPresent(batch -> waiting.put(partition, batch));
            }
        }
        if (!waiting.isEmpty()) {
            underWay = true;
            environment.background().execute(() -> ask(waiting, now));
        }
    }

    /** Background: where the older logs end first, and then how far they are done. */
    private void ask(Map<AssignedPartition, HeldBatch> waiting, long askedAt) {
        try {
            Set<TopicPartition> older = new HashSet<>();
            waiting.keySet().forEach(partition -> older.addAll(older(partition)));
            Map<TopicPartition, NextOffset> ends = older.isEmpty() ? Map.of() : finder.ends(older);
            Map<TopicPartition, NextOffset> done = finder.done(older);
            errands.execute(() -> answered(waiting, askedAt, ends, done));
        } catch (UnavailableException e) {
            errands.execute(() -> notAnswered(e));
        } catch (RuntimeException | Error e) {
            errands.execute(
                    () -> {
                        throw new InvariantViolation("looking at older partitions broke off", e);
                    });
        }
    }

    private static Set<TopicPartition> older(AssignedPartition partition) {
        return partition.young().map(Young::older).orElse(Set.of());
    }

    private void notAnswered(UnavailableException why) {
        underWay = false;
        outage.failed(why);
    }

    private void answered(
            Map<AssignedPartition, HeldBatch> waiting,
            long askedAt,
            Map<TopicPartition, NextOffset> ends,
            Map<TopicPartition, NextOffset> done) {
        underWay = false;
        outage.over();
        waiting.forEach(
                (partition, asked) -> {
                    boolean isSame = partition.held().equals(Optional.of(asked));
                    if (isOpen(partition) && isSame) {
                        answered(partition, asked, askedAt, ends, done);
                    }
                });
    }

    private void answered(
            AssignedPartition partition,
            HeldBatch asked,
            long askedAt,
            Map<TopicPartition, NextOffset> ends,
            Map<TopicPartition, NextOffset> done) {
        HeldBatch batch = asked;
        if (batch.ends().isEmpty()) {
            Map<TopicPartition, NextOffset> its = new HashMap<>(ends);
            its.keySet().retainAll(older(partition));
            if (!its.keySet().equals(older(partition))) {
                return; // not all brokers know of themselves yet
            }
            batch = batch.endingAt(its, partition.isSettledAt(askedAt));
        } else {
            batch = batch.endingNotBehind(ends);
        }
        batch = batch.against(done);
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
        partition
                .found()
                .ifPresent(it -> environment.background().execute(() -> settle(it.source())));
    }

    /** Background. If it fails, the barrier is there again at the next assignment, for a moment. */
    private void settle(int source) {
        try {
            finder.settle(source);
        } catch (UnavailableException e) {
            log.info("source {} is not recorded as settled: {}", source, e.getMessage());
        } catch (RuntimeException | Error e) {
            errands.execute(
                    () -> {
                        throw new InvariantViolation("recording a settled source broke off", e);
                    });
        }
    }
}
