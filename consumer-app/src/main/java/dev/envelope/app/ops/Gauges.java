package dev.envelope.app.ops;

import dev.envelope.core.Recurring;
import dev.envelope.core.api.Doing;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.status.WaitingKeys;
import dev.envelope.idempotency.outbox.OutboxStatus;
import dev.envelope.idempotency.output.OutputStatus;
import dev.envelope.idempotency.store.PoolUse;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.place.PlaceStatus;
import dev.envelope.idempotency.timer.Timers;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * The gauges, which are read when metrics are scraped: of the engine, the connections, the Kafka
 * client and the JVM.
 *
 * <p>Threads: thread-safe (the registry is).
 */
public final class Gauges {

    private static final List<String> LOOPS =
            List.of(
                    "requests",
                    "requests-watch",
                    "requests-seen",
                    "purge",
                    "relay",
                    "outputs",
                    "timers",
                    "frozen-keys",
                    "gateway-topics",
                    "gateway-certificates");

    private final MeterRegistry registry;

    /** Gauges in this registry. */
    public Gauges(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Registers the gauges of the process and its JVM. */
    public Gauges ofProcess(Supplier<ProcessStatus> status) {
        Source<ProcessStatus> of = new Source<>(registry, status);
        of.gauge("envelope.up", "1 if the process is ready", it -> bit(isReady(it)));
        of.gauge("envelope.inflight", "Records not yet durable", ProcessStatus::unacked);
        of.gauge(
                "envelope.oldest.unacked.seconds",
                "Age of the oldest record that is not yet durable",
                it -> seconds(it.oldestUnacked()));
        of.gauge(
                "envelope.commit.lag.records",
                "Records fetched past the committed offset",
                ProcessStatus::uncommitted);
        of.gauge(
                "envelope.lag.records",
                "Records in the log and not yet durable",
                ProcessStatus::lag);
        of.gauge(
                "envelope.records.per.write",
                "Records for each row written, since the start",
                it -> it.totals().recordsPerWrite());
        of.gauge(
                "envelope.partitions.assigned",
                "Partitions of this process",
                it -> it.partitions().size());
        of.gauge(
                "envelope.partitions.stopped",
                "Partitions that need a person",
                it -> it.partitions().stream().filter(PartitionStatus::stopped).count());
        of.gauge(
                "envelope.poll.beat.age.seconds",
                "How long ago the poll loop last made a pass",
                it -> seconds(it.beatAge()));
        of.gauge(
                "envelope.broker.silence.seconds",
                "How long no broker has answered anything",
                it -> seconds(it.brokerSilence()));
        of.gauge(
                "envelope.frozen.keys",
                "Keys with parked messages, of the partitions of this process",
                it -> it.frozen().keys());
        of.gauge(
                "envelope.frozen.messages",
                "Messages that are parked, of the partitions of this process",
                it -> it.frozen().messages());
        of.gauge(
                "envelope.frozen.oldest.seconds",
                "How long the first of them has been parked",
                it -> seconds(it.frozen().oldest()));
        of.gauge("envelope.pool.size", "Workers", it -> it.pool().size());
        of.gauge("envelope.pool.busy", "Workers in a turn", it -> it.pool().busy());
        of.gauge(
                "envelope.pool.stuck",
                "Workers whose handler ignores an interrupt",
                it -> it.pool().stuckWorkers());
        of.gauge(
                "envelope.pool.capacity.bytes",
                "What may be in mailboxes at most, all together",
                it -> it.pool().mailboxBytes());
        of.gauge(
                "envelope.pool.held.bytes",
                "What is in mailboxes and not yet durable",
                ProcessStatus::heldBytes);
        for (Doing doing : Doing.WAITS_FOR_OTHERS) {
            String what = doing.name().toLowerCase(Locale.ROOT).replace('_', '-');
            new Source<>(registry, status, "for", what)
                    .gauge(
                            "envelope.keys.waiting",
                            "Keys that wait for what is away besides the servers",
                            it -> waiting(it, doing));
        }
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ClassLoaderMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        return this;
    }

    private static double waiting(ProcessStatus status, Doing doing) {
        return status.waiting().stream()
                .filter(it -> it.doing() == doing)
                .mapToLong(WaitingKeys::keys)
                .sum();
    }

    /** Registers the gauges of the outbox. */
    public void ofOutbox(Supplier<OutboxStatus> outbox) {
        Source<OutboxStatus> of = new Source<>(registry, outbox);
        of.gauge(
                "envelope.outbox.rows",
                "Dead letters that wait in the database, up to outbox.max.rows",
                OutboxStatus::rows);
        of.gauge(
                "envelope.outbox.oldest.seconds",
                "How long the first of them has waited",
                it -> seconds(it.oldest()));
        of.counter(
                "envelope.outbox.relayed",
                "Dead letters that this process has delivered",
                OutboxStatus::relayed);
        of.counter(
                "envelope.outbox.failures",
                "How often delivering them was refused",
                OutboxStatus::failures);
    }

    /** Registers the gauges of the outputs. */
    public void ofOutputs(Supplier<OutputStatus> outputs) {
        Source<OutputStatus> of = new Source<>(registry, outputs);
        of.gauge(
                "envelope.outputs.waiting",
                "Outputs that wait in the database, up to outbox.max.rows",
                it -> it.waiting().outputs());
        of.gauge("envelope.outputs.waiting.bytes", "Their bytes", it -> it.waiting().bytes());
        of.gauge(
                "envelope.outputs.oldest.seconds",
                "How long the first of them has waited",
                it -> seconds(it.waiting().oldest()));
        of.counter(
                "envelope.outputs.sent", "Outputs that this process has sent", OutputStatus::sent);
        of.counter(
                "envelope.outputs.batches",
                "Batches in which it has sent them",
                OutputStatus::batches);
        of.counter(
                "envelope.outputs.refused",
                "How often Kafka has refused one of them",
                OutputStatus::refused);
        of.counter(
                "envelope.outputs.doubtful",
                "Batches that may have been sent twice, since Kafka no longer knows of them",
                OutputStatus::doubtful);
    }

    /** Registers the gauges of timers. */
    public void ofTimers(Supplier<Timers.Status> timers) {
        Source<Timers.Status> of = new Source<>(registry, timers);
        of.counter(
                "envelope.timers.fired",
                "Timers that this process has fired",
                Timers.Status::fired);
        of.gauge(
                "envelope.timers.late.seconds",
                "For how long the next timer of its partitions has been due",
                it -> seconds(it.late()));
    }

    /** Registers the gauges of the loops beside the engine. */
    public void ofLoops(Supplier<List<Recurring.Status>> loops) {
        for (String name : LOOPS) {
            Predicate<Recurring.Status> its = loop -> loop.name().equals(name);
            Source<List<Recurring.Status>> of = new Source<>(registry, loops, "loop", name);
            of.counter(
                    "envelope.loop.failures",
                    "Turns of what repeats beside the engine that have thrown",
                    sum(its, Recurring.Status::failures));
            of.gauge(
                    "envelope.loop.failing",
                    "1 if its last turn has thrown; it is tried again",
                    sum(its, loop -> bit(loop.isFailing())));
        }
    }

    /** Registers the gauges of the snapshot cache. */
    public void ofActors(Supplier<SnapshotCache<?>> cache) {
        Source<SnapshotCache<?>> of = new Source<>(registry, cache);
        of.gauge("actor.active", "Keys whose row is at hand", SnapshotCache::size);
        of.counter(
                "actor.evictions", "Keys whose row had to go for others", SnapshotCache::evictions);
    }

    /** Registers the gauges of the database connections, under the names that Hikari uses. */
    public void ofConnections(Supplier<List<PoolUse>> pools) {
        for (PoolUse each : pools.get()) {
            Predicate<PoolUse> its = pool -> pool.name().equals(each.name());
            Source<List<PoolUse>> of = new Source<>(registry, pools, "pool", each.name());
            of.gauge("hikaricp.connections", "Connections that are open", sum(its, PoolUse::open));
            of.gauge(
                    "hikaricp.connections.active",
                    "Connections that are lent out",
                    sum(its, PoolUse::active));
            of.gauge(
                    "hikaricp.connections.pending",
                    "Threads that wait for a connection",
                    sum(its, PoolUse::waiting));
            of.gauge(
                    "hikaricp.connections.max",
                    "Connections that may be open",
                    sum(its, PoolUse::most));
        }
    }

    /** Registers a gauge for each place that has rows. */
    public void ofPlaces(Supplier<List<PlaceStatus>> places) {
        for (PlaceStatus each : places.get()) {
            new Source<>(registry, places, "place", each.name())
                    .gauge(
                            "envelope.place.up",
                            "1 if the place answered last",
                            seen -> bit(seen.stream().noneMatch(it -> isAway(it, each.name()))));
        }
    }

    private static boolean isAway(PlaceStatus place, String name) {
        return place.name().equals(name) && place.silence().isPresent();
    }

    /** Registers the gauges of the Kafka consumer, under the names that Micrometer gives them. */
    public void ofKafka(Supplier<Map<MetricName, ? extends Metric>> metrics) {
        var of = new Source<Map<MetricName, ? extends Metric>>(registry, metrics);
        for (KafkaFigure each : KafkaFigure.ALL) {
            if (each.isCounter()) {
                of.counter(each.meter(), each.description(), each::countedIn);
            } else {
                of.gauge(each.meter(), each.description(), each::in);
            }
        }
    }

    private static <T> ToDoubleFunction<List<T>> sum(Predicate<T> of, ToDoubleFunction<T> figure) {
        return all -> all.stream().filter(of).mapToDouble(figure).sum();
    }

    private static boolean isReady(ProcessStatus status) {
        return status.notReadyBecause().isEmpty();
    }

    private static double bit(boolean on) {
        return on ? 1 : 0;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    /** What is measured, with the tags of all its meters. */
    private record Source<T>(MeterRegistry registry, Supplier<T> asked, String... tags) {

        void gauge(String name, String description, ToDoubleFunction<? super T> figure) {
            Gauge.builder(name, asked, it -> figure.applyAsDouble(it.get()))
                    .description(description)
                    .tags(tags)
                    .strongReference(true)
                    .register(registry);
        }

        void counter(String name, String description, ToDoubleFunction<? super T> figure) {
            FunctionCounter.builder(name, asked, it -> figure.applyAsDouble(it.get()))
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }
    }
}
