package dev.envelope.integration.soak;

import dev.envelope.core.Recurring;
import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.cluster.ConsumerGroup;
import dev.envelope.integration.stack.Topics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * How much is done, how much is left, second by second.
 *
 * <p>Threads: one of its own looks; the samples are a concurrent list.
 */
final class Timeline implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final long PATIENCE_MILLIS = 1_500;

    private final Topics topics;
    private final ConsumerGroup group;
    private final Map<TopicPartition, OffsetSpec> ends;
    private final long begun = System.nanoTime();
    private final List<Sample> samples = new CopyOnWriteArrayList<>();
    private final Recurring looks;

    /**
     * A moment.
     *
     * @param done messages that are saved, parked, or found to be applied, since the beginning
     * @param ends where each partition's log ends; empty where the broker does not say
     * @param commits what the group has committed of it
     */
    record Sample(
            long millis,
            long done,
            Map<TopicPartition, Long> ends,
            Map<TopicPartition, Long> commits) {

        /** Records not committed; nothing where the broker does not say. */
        OptionalLong lag() {
            return ends.isEmpty()
                    ? OptionalLong.empty()
                    : OptionalLong.of(
                            ends.entrySet().stream()
                                    .mapToLong(it -> Math.max(0, it.getValue() - next(it.getKey())))
                                    .sum());
        }

        private long next(TopicPartition partition) {
            return commits.getOrDefault(partition, 0L);
        }

        /** Whether everything is committed that was in the log at an earlier moment. */
        boolean hasDone(Sample earlier) {
            return !commits.isEmpty()
                    && earlier.ends.entrySet().stream()
                            .allMatch(it -> next(it.getKey()) >= it.getValue());
        }
    }

    private Timeline(Topics topics, ConsumerGroup group, int partitions) {
        this.topics = topics;
        this.group = group;
        this.ends =
                IntStream.range(0, partitions)
                        .mapToObj(number -> new TopicPartition(group.name(), number))
                        .collect(Collectors.toMap(it -> it, it -> OffsetSpec.latest()));
        this.looks = Recurring.start("timeline", PAUSE, () -> !samples.add(look()));
    }

    static Timeline start(Topics topics, ConsumerGroup group, int partitions) {
        return new Timeline(topics, group, partitions);
    }

    /** Since it was started. */
    long millis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    }

    /** The present moment. */
    Sample look() {
        long done =
                group.total(Count.SAVED_MESSAGES)
                        + group.total(Count.DUPLICATES)
                        + group.total(Count.PARKED);
        try {
            // The commits first: they can't be ahead of the ends then.
            Map<TopicPartition, Long> commits = new HashMap<>();
            get(topics.admin()
                            .listConsumerGroupOffsets(group.name())
                            .partitionsToOffsetAndMetadata())
                    .forEach((partition, commit) -> put(commits, partition, commit));
            Map<TopicPartition, Long> known = new HashMap<>();
            Map<TopicPartition, ListOffsetsResultInfo> found =
                    get(topics.admin().listOffsets(ends).all());
            found.forEach((partition, end) -> known.put(partition, end.offset()));
            return new Sample(millis(), done, known, commits);
        } catch (ExecutionException | TimeoutException brokerIsAway) {
            return new Sample(millis(), done, Map.of(), Map.of());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void put(
            Map<TopicPartition, Long> commits, TopicPartition partition, OffsetAndMetadata commit) {
        if (commit != null) {
            commits.put(partition, commit.offset());
        }
    }

    private static <T> T get(Future<T> future)
            throws ExecutionException, TimeoutException, InterruptedException {
        return future.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    List<Sample> samples() {
        return List.copyOf(samples);
    }

    /** How long after a moment everything was done that was in the log then. */
    OptionalLong healedAfter(long millis) {
        List<Sample> known =
                samples.stream()
                        .filter(it -> it.millis() >= millis && it.lag().isPresent())
                        .toList();
        return known.isEmpty()
                ? OptionalLong.empty()
                : known.stream()
                        .filter(it -> it.hasDone(known.get(0)))
                        .mapToLong(it -> it.millis() - millis)
                        .findFirst();
    }

    @Override
    public void close() {
        looks.close();
    }
}
