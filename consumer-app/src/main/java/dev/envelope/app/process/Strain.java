package dev.envelope.app.process;

import dev.envelope.idempotency.store.PoolUse;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * Finds what slows down the whole process, and no key in particular: brokers that throttle it, a
 * heap that is too small, connection pools that are exhausted.
 *
 * <p>Threads: one thread samples, each second; its findings are volatile.
 */
final class Strain {

    /** The number of samples that are evaluated together. */
    private static final int SAMPLES = 10;

    private static final int MUCH_OF_THE_TIME = 30; // percent
    private static final int LONG_THROTTLE_MILLIS = 500; // of any fetch of the last minute

    private record Sample(long nanos, long collectingMillis, List<PoolUse> pools) {}

    private final Supplier<Map<MetricName, ? extends Metric>> metrics;
    private final Supplier<List<PoolUse>> pools;
    private final LongSupplier collectingMillis;
    private final LongSupplier nanoTime;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private volatile List<String> words = List.of();

    /**
     * @param collectingMillis how long the garbage collectors have paused the process in all
     */
    Strain(
            Supplier<Map<MetricName, ? extends Metric>> metrics,
            Supplier<List<PoolUse>> pools,
            LongSupplier collectingMillis,
            LongSupplier nanoTime) {
        this.metrics = metrics;
        this.pools = pools;
        this.collectingMillis = collectingMillis;
        this.nanoTime = nanoTime;
    }

    /** The pauses of all collectors; concurrent phases do not count. */
    static long collectingMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(it -> !it.getName().contains("Concurrent"))
                .filter(it -> !it.getName().contains("Cycles"))
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    /** Takes a sample. */
    void sample() {
        samples.add(new Sample(nanoTime.getAsLong(), collectingMillis.getAsLong(), pools.get()));
        if (samples.size() > SAMPLES) {
            samples.remove();
        }
        words = Stream.of(throttling(), collecting(), emptyPools()).flatMap(it -> it).toList();
    }

    private Stream<String> throttling() {
        return metrics.get().entrySet().stream()
                .filter(it -> it.getKey().name().equals("fetch-throttle-time-max"))
                .filter(it -> it.getValue().metricValue() instanceof Number)
                .map(it -> ((Number) it.getValue().metricValue()).doubleValue())
                .filter(it -> Double.isFinite(it) && it >= LONG_THROTTLE_MILLIS)
                .max(Comparator.naturalOrder())
                .map(
                        ("the brokers throttle what is fetched, by up to %,.0f ms a fetch: a quota for"
                                        + " this client or user (kafka-configs.sh --describe"
                                        + " --entity-type clients, or users)")
                                ::formatted)
                .stream();
    }

    private Stream<String> collecting() {
        Sample first = samples.getFirst();
        Sample last = samples.getLast();
        long wall = TimeUnit.NANOSECONDS.toMillis(last.nanos() - first.nanos());
        long share =
                wall == 0 ? 0 : 100 * (last.collectingMillis() - first.collectingMillis()) / wall;
        if (samples.size() < SAMPLES || share < MUCH_OF_THE_TIME) {
            return Stream.empty();
        }
        return Stream.of(
                ("the garbage collector has taken %d%% of the last %d s: the heap of %,d MiB is too"
                                + " small for what is in it; raise -Xmx, or lower"
                                + " prefetch.max.bytes or cache.max.bytes")
                        .formatted(
                                share,
                                TimeUnit.MILLISECONDS.toSeconds(wall),
                                Runtime.getRuntime().maxMemory() >> 20));
    }

    /** Pools for which a thread waited in every sample. */
    private Stream<String> emptyPools() {
        return samples.getLast().pools().stream()
                .filter(pool -> samples.size() == SAMPLES)
                .filter(pool -> samples.stream().allMatch(it -> isWaitedFor(it, pool.name())))
                .map(
                        pool ->
                                ("%d threads wait for a connection to the database: of the pool %s"
                                                + " %d of at most %d are open, and %d lent out")
                                        .formatted(
                                                pool.waiting(),
                                                pool.name(),
                                                pool.open(),
                                                pool.most(),
                                                pool.active()));
    }

    private static boolean isWaitedFor(Sample sample, String pool) {
        return sample.pools().stream().anyMatch(it -> it.name().equals(pool) && it.waiting() > 0);
    }

    /** The findings, in sentences. */
    List<String> words() {
        return words;
    }
}
