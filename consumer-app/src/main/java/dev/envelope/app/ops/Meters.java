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
import java.util.function.ToDoubleFunction;
import org.apache.kafka.common.TopicPartition;

/**
 * Counts what the engine tells of its work, under the names that dashboards know. No label ever
 * holds a key.
 *
 * <p>Threads: thread-safe (adders and the registry are).
 */
public final class Meters implements Telemetry {

    /** Within which a stage may reasonably be expected to end. */
    private static final Duration[] EXPECTED = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(20),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5)
    };

    private final MeterRegistry registry;
    private final LongAdder fetched = new LongAdder();
    private final LongAdder fetchedBytes = new LongAdder();
    private final LongAdder folded = new LongAdder();
    private final LongAdder rows = new LongAdder();
    private final LongAdder duplicates = new LongAdder();
    private final LongAdder conflicts = new LongAdder();
    private final LongAdder parked = new LongAdder();
    private final LongAdder purged = new LongAdder();
    private final LongAdder gapRecords = new LongAdder();
    private final LongAdder deadLetters = new LongAdder();
    private final LongAdder attemptsFailed = new LongAdder();
    private final LongAdder handlerTimeouts = new LongAdder();
    private final LongAdder workersReplaced = new LongAdder();
    private final LongAdder storeUnavailable = new LongAdder();
    private final LongAdder commits = new LongAdder();
    private final LongAdder looked = new LongAdder();
    private final LongAdder cached = new LongAdder();
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
     * What was seen since that was last asked.
     *
     * @param hits the share of wanted rows that were at hand; negative if none was wanted
     * @param stages how long turns were at each, and in all
     */
    public record Recent(double hits, Map<String, Durations.Seen> stages) {}

    /**
     * Registers all counters, at zero.
     *
     * @param timeline where it is written down what the group does
     */
    public Meters(MeterRegistry registry, Timeline timeline) {
        this.registry = registry;
        this.timeline = timeline;
        counter("envelope.records.fetched", "Records that polls brought", fetched);
        counter("envelope.bytes.fetched", "Their bytes", fetchedBytes);
        outcome("applied", Meters::records);
        outcome("duplicate", it -> it.duplicates.sum());
        outcome("parked", it -> it.parked.sum());
        outcome("dead-lettered", it -> it.deadLetters.sum());
        counter("envelope.writes", "Rows written: one for each envelope", rows);
        counter("envelope.dedupe.hits", "Messages that were saved already", duplicates);
        counter("envelope.cas.conflicts", "Rows that had moved on before the save", conflicts);
        counter("envelope.rows.purged", "Rows of deleted keys that were taken away", purged);
        counter(
                "envelope.gap.records",
                "Offsets that were gone from the log before they were applied",
                gapRecords);
        counter("envelope.attempts.failed", "Messages that failed an attempt", attemptsFailed);
        counter(
                "envelope.handler.timeouts",
                "Handlers that were interrupted because they took too long for one message",
                handlerTimeouts);
        counter(
                "envelope.worker.restarts",
                "Workers that took the place of one whose handler did not heed the interrupt",
                workersReplaced);
        counter(
                "envelope.store.unavailable",
                "Envelopes that the database could not serve",
                storeUnavailable);
        counter("envelope.commits", "Partitions whose offset was committed", commits);
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
        counter("envelope.rows.wanted", "Rows that a turn wanted to see", looked);
        counter("envelope.cache.hits", "Those of them that were at hand", cached);
        for (Stage stage : Stage.values()) {
            stages.put(
                    stage,
                    Timer.builder("envelope.stage")
                            .description("How long a turn was at a stage")
                            .tag("stage", name(stage))
                            .serviceLevelObjectives(EXPECTED)
                            .register(registry));
            recentStages.put(stage, new Durations());
        }
    }

    /** What was done since the start. */
    public ProcessStatus.Totals totals() {
        return new ProcessStatus.Totals(
                fetched.sum(),
                records(),
                rows.sum(),
                duplicates.sum(),
                parked.sum(),
                deadLetters.sum());
    }

    /** The keys with most of the messages, the hottest first. */
    public List<HotKeys.HotKey> hottest(int most) {
        return hotKeys.hottest(most, System.nanoTime());
    }

    /** What was seen since this was last called. */
    public Recent takeRecent() {
        long wanted = looked.sum();
        long hits = cached.sum();
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

    /** What was folded into rows; messages that were parked are not among them. */
    private long records() {
        return folded.sum();
    }

    @Override
    public void polled(int records, long bytes) {
        fetched.add(records);
        fetchedBytes.add(bytes);
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
        cached.add(atHand);
        looked.add(atHand + guessed + loaded);
    }

    @Override
    public void duplicates(int messages) {
        duplicates.add(messages);
    }

    @Override
    public void saved(int written, int messages) {
        rows.add(written);
        folded.add(messages);
        envelopeSize.record(messages);
    }

    @Override
    public void conflicts(int count) {
        conflicts.add(count);
    }

    @Override
    public void parked(String reason, int messages) {
        parked.add(messages);
        labelled("envelope.parked", "Messages recorded in the table parked", "reason", reason)
                .increment(messages);
    }

    @Override
    public void purged(int taken) {
        purged.add(taken);
    }

    @Override
    public void deadLettered(String reason, int messages) {
        deadLetters.add(messages);
        labelled("envelope.dlq", "Messages that became dead letters", "reason", reason)
                .increment(messages);
    }

    @Override
    public void attemptFailed() {
        attemptsFailed.increment();
    }

    @Override
    public void handlerTimedOut() {
        handlerTimeouts.increment();
    }

    @Override
    public void workerReplaced() {
        workersReplaced.increment();
    }

    @Override
    public void storeUnavailable() {
        storeUnavailable.increment();
    }

    @Override
    public void gap(TopicPartition partition, long records) {
        gapRecords.add(records);
    }

    @Override
    public void committed(int partitions) {
        commits.add(partitions);
    }

    @Override
    public void rebalanced(String event, int partitions) {
        labelled("envelope.rebalance", "Rebalances, by what they brought", "event", event)
                .increment();
        timeline.add(Timeline.Kind.REBALANCE, event + " " + Words.count(partitions, "partition"));
    }

    @Override
    public void stopped(TopicPartition partition) {
        timeline.add(Timeline.Kind.STOP, partition + " is stopped");
        labelled(
                        "envelope.stops",
                        "Partitions that a person has to look at",
                        "topic",
                        partition.topic())
                .increment();
    }

    private Counter labelled(String name, String description, String label, String value) {
        return Counter.builder(name).description(description).tag(label, value).register(registry);
    }

    private void counter(String name, String description, LongAdder adder) {
        FunctionCounter.builder(name, adder, LongAdder::sum)
                .description(description)
                .register(registry);
    }

    private void outcome(String outcome, ToDoubleFunction<Meters> count) {
        FunctionCounter.builder("envelope.records", this, count)
                .description("Messages, by what became of them")
                .tag("outcome", outcome)
                .register(registry);
    }
}
