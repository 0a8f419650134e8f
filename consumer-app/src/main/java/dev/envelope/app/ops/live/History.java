package dev.envelope.app.ops.live;

import dev.envelope.app.ops.Meters;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.recent.Durations;
import dev.envelope.core.status.PartitionStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the last quarter of an hour, in samples five seconds apart.
 *
 * <p>Threads: guarded by this.
 */
public final class History {

    /** How often a sample is taken. */
    public static final Duration EVERY = Duration.ofSeconds(5);

    private static final int KEPT = 180;

    /** A chart with more lines would be unreadable. */
    private static final int MOST_PARTITIONS = 128;

    private final Deque<Sample> samples = new ArrayDeque<>();
    private ProcessStatus.@Nullable Totals before;
    private long beforeNanos;

    /**
     * One sample, as it is shown; rates are per second.
     *
     * @param at in milliseconds
     * @param cacheHits the share of needed rows that were in the cache; negative if none was needed
     * @param stages how long turns spent in load, fold and save, and in all
     * @param lags by the partition's name
     */
    public record Sample(
            long at,
            long fetched,
            long saved,
            long rows,
            long duplicates,
            long lag,
            long inFlight,
            double cacheHits,
            Map<String, Durations.Seen> stages,
            Map<String, Long> lags) {}

    /** Takes a sample. */
    public synchronized void sample(
            Instant at, long nanos, ProcessStatus status, Meters.Recent recent) {
        ProcessStatus.Totals now = status.totals();
        ProcessStatus.Totals last = before;
        double seconds = Math.max(0.001, (nanos - beforeNanos) / 1e9);
        before = now;
        beforeNanos = nanos;
        if (last == null) {
            return;
        }
        if (samples.size() == KEPT) {
            samples.removeFirst();
        }
        samples.addLast(
                new Sample(
                        at.toEpochMilli(),
                        Math.round((now.fetched() - last.fetched()) / seconds),
                        Math.round((now.records() - last.records()) / seconds),
                        Math.round((now.rowsWritten() - last.rowsWritten()) / seconds),
                        Math.round((now.duplicates() - last.duplicates()) / seconds),
                        status.lag(),
                        status.unacked(),
                        Math.round(recent.hits() * 1_000) / 1_000.0,
                        recent.stages(),
                        lags(status.partitions())));
    }

    private static Map<String, Long> lags(List<PartitionStatus> partitions) {
        Map<String, Long> lags = new LinkedHashMap<>();
        partitions.stream()
                .limit(MOST_PARTITIONS)
                .forEach(it -> lags.put(it.partition().toString(), it.lag()));
        return lags;
    }

    /** Oldest first. */
    public synchronized List<Sample> samples() {
        return List.copyOf(samples);
    }

    /** The samples after this time, oldest first. */
    public synchronized List<Sample> after(long millis) {
        return samples.stream().filter(it -> it.at() > millis).toList();
    }
}
