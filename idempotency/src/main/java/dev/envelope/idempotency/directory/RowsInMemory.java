package dev.envelope.idempotency.directory;

import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.cache.SnapshotCache.Seen;
import dev.envelope.idempotency.store.row.Snapshot;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The rows that this process has saved or loaded, for callers outside. Nothing is taken out of the
 * cache, and nothing is read for it.
 *
 * <p>Another process may have changed a row meanwhile: an operator's request is carried out by any,
 * and a process that hangs does not know what it has lost. So without an offset only what was saved
 * or loaded just now counts.
 *
 * <p>Threads: thread-safe (what was learnt is one volatile reference); one thread learns.
 */
public final class RowsInMemory {

    /** A row without an offset is as of so long ago at most. */
    public static final Duration FRESH = Duration.ofSeconds(2);

    private final SnapshotCache<?> cache;
    private final Supplier<EngineStatus> engine;
    private final Checkpoints checkpoints;
    private final Set<String> names;
    private final Function<String, @Nullable Topic> topics;
    private final BooleanSupplier isUnsure;
    private volatile Map<Integer, Source> sources = Map.of();
    private volatile boolean hasMet; // a source that was not learnt
    private Set<TopicPartition> asOf = Set.of();

    /**
     * A row.
     *
     * @param nextOffsets for each partition of the present topics, the next offset that is not
     *     applied
     * @param age since it was saved or loaded here
     */
    public record Found(
            byte[] state, long version, Map<TopicPartition, Long> nextOffsets, Duration age) {}

    /**
     * @param names of the application's topics
     * @param topics a topic as the brokers have it now
     * @param isUnsure whether they do not answer now: a topic may have been made again
     */
    public RowsInMemory(
            SnapshotCache<?> cache,
            Supplier<EngineStatus> engine,
            Checkpoints checkpoints,
            Set<String> names,
            Function<String, @Nullable Topic> topics,
            BooleanSupplier isUnsure) {
        this.cache = cache;
        this.engine = engine;
        this.checkpoints = checkpoints;
        this.names = Set.copyOf(names);
        this.topics = topics;
        this.isUnsure = isUnsure;
    }

    /** Learns which logs the numbers in marks mean, if there may be new ones. May block. */
    public void learn() {
        Set<TopicPartition> now =
                engine.get().partitions().stream()
                        .map(PartitionStatus::partition)
                        .collect(Collectors.toSet());
        if (hasMet || !now.equals(asOf)) {
            hasMet = false;
            sources =
                    checkpoints.read(names).sources().stream()
                            .collect(Collectors.toMap(Source::number, it -> it));
            asOf = now;
        }
    }

    /**
     * The row of a key, if it is in memory and has a state.
     *
     * @param home the partition of the key; it has to be this process's
     * @param atLeast the offset of a partition that has to be applied to it; null for none
     */
    public Optional<Found> find(
            String key, TopicPartition home, @Nullable TopicPartition of, long atLeast) {
        Seen seen = cache.look(key);
        if (seen == null || seen.epoch() < epoch(home)) {
            return Optional.empty();
        }
        Snapshot row = seen.snapshot();
        boolean counts =
                of == null
                        ? seen.age().compareTo(FRESH) <= 0
                        : !isUnsure.getAsBoolean()
                                && hasOnlyKnown(row.marks())
                                && nextOffset(row.marks(), of) > atLeast;
        byte[] state = row.state();
        return counts && state != null
                ? Optional.of(new Found(state, row.version(), nextOffsets(row.marks()), seen.age()))
                : Optional.empty();
    }

    /** The present epoch of a partition; what is not of this process is never old enough. */
    private long epoch(TopicPartition partition) {
        return engine.get().partitions().stream()
                .filter(it -> it.partition().equals(partition))
                .mapToLong(PartitionStatus::epoch)
                .filter(it -> it > 0)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /** An unknown one can be a later generation of the log that the offset is of. */
    private boolean hasOnlyKnown(Marks marks) {
        boolean[] hasUnknown = {false};
        marks.forEach((number, mark) -> hasUnknown[0] |= !sources.containsKey(number));
        hasMet |= hasUnknown[0];
        return !hasUnknown[0];
    }

    private boolean isPresent(Source source) {
        Topic now = topics.apply(source.partition().topic());
        return now != null && now.id().equals(source.topicId());
    }

    /** Of the last generation of the present topic's log; 0 if there is none. */
    private long nextOffset(Marks marks, TopicPartition partition) {
        List<Source> its =
                sources.values().stream()
                        .filter(it -> it.partition().equals(partition) && isPresent(it))
                        .toList();
        if (its.isEmpty()) {
            hasMet = true;
        }
        return its.stream()
                .max(Comparator.comparingInt(Source::generation))
                .map(it -> marks.nextOffset(it.number()))
                .orElse(0L);
    }

    private Map<TopicPartition, Long> nextOffsets(Marks marks) {
        Map<TopicPartition, Long> next = new HashMap<>();
        marks.forEach( // ascending: of a partition the last generation stays
                (number, mark) -> {
                    Source source = sources.get(number);
                    if (source == null) {
                        hasMet = true;
                    } else if (isPresent(source)) {
                        next.put(source.partition(), mark.offset());
                    }
                });
        return next;
    }
}
