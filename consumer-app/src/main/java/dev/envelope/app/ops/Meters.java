package dev.envelope.app.ops;

import dev.envelope.app.ops.recent.Durations;
import dev.envelope.app.ops.recent.HotKeys;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Stage;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.Words;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.apache.kafka.common.TopicPartition;

/**
 * Counts and times the engine's work, under the names that dashboards know. No label ever holds a
 * key.
 *
 * <p>Threads: thread-safe (adders and the registry are).
 */
public final class Meters implements Telemetry {

    /** The histogram buckets of stages, waits and drains. */
    private static final Duration[] EXPECTED =
            LongStream.of(1, 5, 20, 50, 100, 250, 500, 1_000, 5_000)
                    .mapToObj(Duration::ofMillis)
                    .toArray(Duration[]::new);

    private final MeterRegistry registry;
    private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);
    private final DistributionSummary envelopeSize;
    private final Timer queueWaits;
    private final Timer drains;
    private final Timer turns;
    private final Map<Stage, Timer> stages = new EnumMap<>(Stage.class);
    private final Map<Stage, Durations> recentStages = new EnumMap<>(Stage.class);
    private final Durations recentTurns = new Durations();
    private final HotKeys hotKeys = new HotKeys();
    private final Timeline timeline;
    private final AtomicLong lookedBefore = new AtomicLong();
    private final AtomicLong cachedBefore = new AtomicLong();

    /**
     * The figures since the last call of {@link #takeRecent}.
     *
     * @param hits the share of needed rows that were in the cache; negative if none was needed
     * @param stages how long turns spent in each, and in all
     */
    public record Recent(double hits, Map<String, Durations.Seen> stages) {}

    /**
     * Registers all meters, at zero.
     *
     * @param timeline records what the group does
     */
    public Meters(MeterRegistry registry, Timeline timeline) {
        this.registry = registry;
        this.timeline = timeline;
        for (Count count : Count.values()) {
            counts.put(count, new LongAdder());
            register(count, count.meter, count.description, count.tags());
        }
        register(
                Count.DUPLICATE,
                "envelope.dedupe.hits",
                "Messages that were saved already",
                Tags.empty());
        envelopeSize =
                DistributionSummary.builder("envelope.size.records")
                        .description("Messages that one written row stands for")
                        .serviceLevelObjectives(1, 2, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000)
                        .register(registry);
        queueWaits =
                Timer.builder("envelope.queue.wait")
                        .description("How long what was ready had waited for a worker")
                        .serviceLevelObjectives(EXPECTED)
                        .register(registry);
        drains =
                Timer.builder("envelope.drain")
                        .description("How long it took to let partitions go that were taken")
                        .serviceLevelObjectives(EXPECTED)
                        .register(registry);
        turns =
                Timer.builder("envelope.turn")
                        .description("Turns of the workers, from drain to ack")
                        .register(registry);
        Timer.Builder stage =
                Timer.builder("envelope.stage")
                        .description("How long a turn was at a stage")
                        .serviceLevelObjectives(EXPECTED);
        for (Stage each : Stage.values()) {
            stages.put(each, stage.tags("stage", name(each)).register(registry));
            recentStages.put(each, new Durations());
        }
    }

    private void register(Count count, String meter, String description, Tags tags) {
        FunctionCounter.builder(meter, adder(count), LongAdder::sum)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private LongAdder adder(Count count) {
        return Objects.requireNonNull(counts.get(count));
    }

    private void add(Count count, long more) {
        adder(count).add(more);
    }

    private long sum(Count count) {
        return adder(count).sum();
    }

    /** The totals since the start; parked messages are not among {@code records}. */
    public ProcessStatus.Totals totals() {
        return new ProcessStatus.Totals(
                sum(Count.FETCHED),
                sum(Count.APPLIED),
                sum(Count.WRITES),
                sum(Count.DUPLICATE),
                sum(Count.PARKED),
                sum(Count.DEAD_LETTERED));
    }

    /** The keys with the most messages, the hottest first. */
    public List<HotKeys.HotKey> hottest(int most) {
        return hotKeys.hottest(most, System.nanoTime());
    }

    /** The figures since this was last called. */
    public Recent takeRecent() {
        long wanted = sum(Count.WANTED);
        long hits = sum(Count.AT_HAND);
        long newlyWanted = wanted - lookedBefore.getAndSet(wanted);
        long newlyHit = hits - cachedBefore.getAndSet(hits);
        Map<String, Durations.Seen> seen = new LinkedHashMap<>();
        recentStages.forEach((stage, durations) -> seen.put(name(stage), durations.take()));
        seen.put("turn", recentTurns.take());
        return new Recent(newlyWanted == 0 ? -1 : (double) newlyHit / newlyWanted, seen);
    }

    private static String name(Stage stage) {
        return stage.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void polled(int records, long bytes) {
        add(Count.FETCHED, records);
        add(Count.FETCHED_BYTES, bytes);
    }

    @Override
    public void waited(long nanos) {
        queueWaits.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void drained(long nanos) {
        drains.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void turnEnded(int shards, int envelopes, int messages, long nanos) {
        if (envelopes > 0) {
            turns.record(nanos, TimeUnit.NANOSECONDS);
            recentTurns.record(nanos);
        }
    }

    @Override
    public void stageEnded(Stage stage, long nanos) {
        Objects.requireNonNull(stages.get(stage)).record(nanos, TimeUnit.NANOSECONDS);
        Objects.requireNonNull(recentStages.get(stage)).record(nanos);
    }

    @Override
    public void worked(List<Envelope> envelopes) {
        hotKeys.worked(envelopes, System.nanoTime());
    }

    @Override
    public void looked(int atHand, int guessed, int loaded) {
        add(Count.AT_HAND, atHand);
        add(Count.WANTED, atHand + guessed + loaded);
    }

    @Override
    public void duplicates(int messages) {
        add(Count.DUPLICATE, messages);
    }

    @Override
    public void saved(int written, int messages) {
        add(Count.WRITES, written);
        add(Count.APPLIED, messages);
        envelopeSize.record(messages);
    }

    @Override
    public void conflicts(int count) {
        add(Count.CONFLICTS, count);
    }

    @Override
    public void parked(String reason, int messages) {
        add(Count.PARKED, messages);
        count(
                "envelope.parked",
                "Messages recorded in the table parked",
                "reason",
                reason,
                messages);
    }

    @Override
    public void purged(int taken) {
        add(Count.PURGED, taken);
    }

    @Override
    public void deadLettered(String reason, int messages) {
        add(Count.DEAD_LETTERED, messages);
        count("envelope.dlq", "Messages that became dead letters", "reason", reason, messages);
    }

    @Override
    public void emitted(int records) {
        add(Count.EMITTED, records);
    }

    @Override
    public void attemptFailed() {
        add(Count.FAILED_ATTEMPTS, 1);
    }

    @Override
    public void handlerTimedOut() {
        add(Count.HANDLER_TIMEOUTS, 1);
    }

    @Override
    public void workerReplaced() {
        add(Count.WORKER_RESTARTS, 1);
    }

    @Override
    public void storeUnavailable() {
        add(Count.STORE_UNAVAILABLE, 1);
    }

    @Override
    public void gap(TopicPartition partition, long records) {
        add(Count.GAPS, records);
    }

    @Override
    public void committed(int partitions) {
        add(Count.COMMITS, partitions);
    }

    @Override
    public void commitWasFull() {
        add(Count.FULL_COMMITS, 1);
    }

    @Override
    public void rebalanced(String event, int partitions) {
        count("envelope.rebalance", "Rebalances, by what they brought", "event", event, 1);
        timeline.add(Timeline.Kind.REBALANCE, event + " " + Words.count(partitions, "partition"));
    }

    @Override
    public void stopped(TopicPartition partition) {
        timeline.add(Timeline.Kind.STOP, partition + " is stopped");
        count(
                "envelope.stops",
                "Partitions that a person has to look at",
                "topic",
                partition.topic(),
                1);
    }

    private void count(String name, String description, String label, String value, int more) {
        Counter.builder(name)
                .description(description)
                .tag(label, value)
                .register(registry)
                .increment(more);
    }
}
