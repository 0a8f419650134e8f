package dev.envelope.core;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.key.Division;
import dev.envelope.core.key.KeyFormat;
import dev.envelope.core.key.KeyFormats;
import dev.envelope.core.key.NullKeys;
import dev.envelope.core.key.Ordering;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.StartFrom;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an {@link EnvelopeConsumer}. Start with {@link #of} and change what should
 * differ.
 *
 * @param applicationId the consumer group's id
 * @param clientProperties for the Kafka clients; they override the engine's defaults. With the
 *     prefix {@code consumer.} or {@code admin.} for one of them, without a prefix for both
 * @param keyFormat turns a record's key into its row key
 * @param keyScope whether topics share rows
 * @param nullKeys what becomes of records without a key
 * @param workers how many folds and saves may be under way at once
 * @param mostWorkers up to how many the pool may grow by itself; equal to {@code workers} for a
 *     fixed number
 * @param sizing what decides between these two; by latency only where each call is one message's
 * @param threads the kind of threads that workers run on
 * @param ordering what is handled one after the other; a row is that of a key only with {@link
 *     Ordering#KEY}
 * @param slots how partitions are divided where no group decides; null if one does
 * @param shards how many parts the keys are divided into; a power of two, at least four per worker
 * @param division how the rows are divided between databases
 */
public record ConsumerSettings(
        String applicationId,
        Set<String> topics,
        Map<String, Object> clientProperties,
        KeyFormat keyFormat,
        RowKeys.Scope keyScope,
        NullKeys nullKeys,
        PositionPolicy positions,
        FailurePolicy failures,
        TurnLimits turns,
        PollLoop.Limits loop,
        int workers,
        int mostWorkers,
        PoolSizing sizing,
        WorkerThreads threads,
        int shards,
        Ordering ordering,
        @Nullable SlotPlan slots,
        Division division) {

    public ConsumerSettings {
        topics = Set.copyOf(topics);
        clientProperties = Map.copyOf(clientProperties);
        if (Integer.bitCount(shards) != 1 || workers < 1 || mostWorkers < workers) {
            throw new IllegalArgumentException(
                    "shards must be a power of two, workers at least 1 and no more than the most");
        }
        if (topics.isEmpty()) {
            throw new IllegalArgumentException("no topics");
        }
    }

    /** Default settings. */
    public static ConsumerSettings of(
            String applicationId, String bootstrapServers, Set<String> topics) {
        int workers = Math.max(2, Runtime.getRuntime().availableProcessors());
        return new ConsumerSettings(
                applicationId,
                topics,
                Map.of("bootstrap.servers", bootstrapServers),
                KeyFormats.string(),
                topics.size() == 1 ? RowKeys.Scope.APPLICATION : RowKeys.Scope.TOPIC,
                new NullKeys.Reject(),
                new PositionPolicy(
                        new StartFrom.Earliest(),
                        PositionPolicy.OffsetAhead.STOP,
                        PositionPolicy.Gap.STOP),
                new FailurePolicy(
                        10,
                        Duration.ofMillis(200),
                        Duration.ofSeconds(30),
                        FailurePolicy.Last.PARK),
                new TurnLimits(10_000, 8L << 20, 20_000, 32L << 20, Duration.ofMillis(250)),
                new PollLoop.Limits(
                        prefetchBytes(Runtime.getRuntime().maxMemory()),
                        1_000_000,
                        Duration.ofSeconds(1),
                        Duration.ofMillis(2500)),
                workers,
                workers,
                PoolSizing.GAIN,
                WorkerThreads.PLATFORM,
                shardsFor(workers),
                Ordering.KEY,
                null,
                Division.NONE);
    }

    /**
     * These settings with more properties for the Kafka clients, which replace those of the same
     * name.
     */
    public ConsumerSettings withClientProperties(Map<String, ?> more) {
        Map<String, Object> all = new HashMap<>(clientProperties);
        all.putAll(more);
        return with(all, positions, loop, workers, mostWorkers, shards);
    }

    /** These settings with another policy for logs and commits that disagree with the database. */
    public ConsumerSettings withPositions(PositionPolicy others) {
        return with(clientProperties, others, loop, workers, mostWorkers, shards);
    }

    /** These settings with other limits of the poll loop. */
    public ConsumerSettings withLoop(PollLoop.Limits limits) {
        return with(clientProperties, positions, limits, workers, mostWorkers, shards);
    }

    /** These settings with a fixed number of workers, and the shards that they need. */
    public ConsumerSettings withWorkers(int count) {
        return withWorkers(count, count);
    }

    /**
     * These settings with a number of workers that adapts: it grows while keys wait for a worker
     * and more workers handle more messages, and shrinks when some have been idle for a while.
     */
    public ConsumerSettings withWorkers(int least, int most) {
        return with(clientProperties, positions, loop, least, most, shardsFor(most));
    }

    /** These settings where something else decides how many workers there are. */
    public ConsumerSettings withSizing(PoolSizing by) {
        return with(failures, by, threads, ordering, slots, division);
    }

    /** These settings with workers on another kind of threads. */
    public ConsumerSettings withThreads(WorkerThreads others) {
        return with(failures, sizing, others, ordering, slots, division);
    }

    /** These settings with another ordering: for handlers that have no rows. */
    public ConsumerSettings withOrdering(Ordering other) {
        return with(failures, sizing, threads, other, slots, division);
    }

    /** These settings where slots decide which partitions a process reads. */
    public ConsumerSettings withSlots(SlotPlan plan) {
        return with(failures, sizing, threads, ordering, plan, division);
    }

    /** These settings where rows are divided between databases. */
    public ConsumerSettings withDivision(Division other) {
        return with(failures, sizing, threads, ordering, slots, other);
    }

    /** These settings with another policy for messages that fail. */
    public ConsumerSettings withFailures(FailurePolicy others) {
        return with(others, sizing, threads, ordering, slots, division);
    }

    private ConsumerSettings with(
            FailurePolicy policy,
            PoolSizing by,
            WorkerThreads kind,
            Ordering order,
            @Nullable SlotPlan plan,
            Division rows) {
        return new ConsumerSettings(
                applicationId,
                topics,
                clientProperties,
                keyFormat,
                keyScope,
                nullKeys,
                positions,
                policy,
                turns,
                loop,
                workers,
                mostWorkers,
                by,
                kind,
                shards,
                order,
                plan,
                rows);
    }

    private ConsumerSettings with(
            Map<String, Object> properties,
            PositionPolicy policy,
            PollLoop.Limits limits,
            int workerCount,
            int mostWorkerCount,
            int shardCount) {
        return new ConsumerSettings(
                applicationId,
                topics,
                properties,
                keyFormat,
                keyScope,
                nullKeys,
                policy,
                failures,
                turns,
                limits,
                workerCount,
                mostWorkerCount,
                sizing,
                threads,
                shardCount,
                ordering,
                slots,
                division);
    }

    private static final int LEAST_SHARDS = 256;

    /**
     * The default byte budget: an eighth of the heap, 16 to 256 MiB. The more messages of a key
     * wait, the more of them share one write of its row.
     */
    public static long prefetchBytes(long maxHeapBytes) {
        return Math.max(16, Math.min(256, maxHeapBytes >> 20 >> 3)) << 20;
    }

    /**
     * At least four per worker, so that workers find free shards while handlers block; and so many
     * that all of what waits in one fits into a turn, and into the caches of a processor.
     */
    public static int shardsFor(int workers) {
        return Math.max(LEAST_SHARDS, Integer.highestOneBit(4 * workers - 1) * 2);
    }
}
