package dev.envelope.app.ops;

import dev.envelope.core.Recurring;
import dev.envelope.core.api.Doing;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.status.WaitingKeys;
import dev.envelope.idempotency.outbox.OutboxStatus;
import dev.envelope.idempotency.store.PoolUse;
import dev.envelope.idempotency.store.cache.SnapshotCache;
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
 * What is measured when somebody asks: the state of the engine, of the connections, of the Kafka
 * client and of the JVM.
 *
 * <p>Threads: thread-safe (the registry is).
 */
public final class Gauges {

    private final MeterRegistry registry;

    /** Gauges in this registry. */
    public Gauges(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Of the process and its JVM. */
    public Gauges ofProcess(Supplier<ProcessStatus> status) {
        Figures<ProcessStatus> figures = new Figures<>(registry, status);
        figures.gauge("envelope.up", "1 if the process is ready", it -> bit(isReady(it)))
                .gauge("envelope.inflight", "Records not yet durable", ProcessStatus::unacked)
                .gauge(
                        "envelope.oldest.unacked.seconds",
                        "Age of the oldest record that is not yet durable",
                        it -> seconds(it.oldestUnacked()))
                .gauge(
                        "envelope.commit.lag.records",
                        "Records fetched beyond what Kafka was told",
                        ProcessStatus::uncommitted)
                .gauge(
                        "envelope.lag.records",
                        "Records in the log and not yet durable",
                        ProcessStatus::lag)
                .gauge(
                        "envelope.records.per.write",
                        "Records for each row written, since the start",
                        it -> it.totals().recordsPerWrite())
                .gauge(
                        "envelope.partitions.assigned",
                        "Partitions of this process",
                        it -> it.partitions().size())
                .gauge(
                        "envelope.partitions.stopped",
                        "Partitions that need a person",
                        it -> it.partitions().stream().filter(PartitionStatus::stopped).count())
                .gauge(
                        "envelope.poll.beat.age.seconds",
                        "How long ago the poll loop last turned",
                        it -> seconds(it.beatAge()))
                .gauge(
                        "envelope.broker.silence.seconds",
                        "How long no broker has answered anything",
                        it -> seconds(it.brokerSilence()))
                .gauge(
                        "envelope.frozen.keys",
                        "Keys with parked messages, of the partitions of this process",
                        it -> it.frozen().keys())
                .gauge(
                        "envelope.frozen.messages",
                        "Messages that stand parked, of the partitions of this process",
                        it -> it.frozen().messages())
                .gauge(
                        "envelope.frozen.oldest.seconds",
                        "How long the first of them has been parked",
                        it -> seconds(it.frozen().oldest()))
                .gauge("envelope.pool.size", "Workers", it -> it.pool().size())
                .gauge("envelope.pool.busy", "Workers in a turn", it -> it.pool().busy())
                .gauge(
                        "envelope.pool.stuck",
                        "Workers whose handler does not heed an interrupt",
                        it -> it.pool().stuck())
                .gauge(
                        "envelope.pool.capacity.bytes",
                        "What may be in mailboxes at most, all together",
                        it -> it.pool().mailboxBytes())
                .gauge(
                        "envelope.pool.held.bytes",
                        "What is in mailboxes and not yet durable",
                        ProcessStatus::heldBytes);
        for (Doing doing : Doing.WAITS_FOR_OTHERS) {
            String what = doing.name().toLowerCase(Locale.ROOT).replace('_', '-');
            figures.gauge(
                    "envelope.keys.waiting",
                    "Keys that wait for what is away besides the servers",
                    it -> waiting(it, doing),
                    "for",
                    what);
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

    /** Of what waits to be delivered. */
    public void ofOutbox(Supplier<OutboxStatus> outbox) {
        new Figures<>(registry, outbox)
                .gauge(
                        "envelope.outbox.rows",
                        "Dead letters that wait in the database, up to outbox.max.rows",
                        OutboxStatus::rows)
                .gauge(
                        "envelope.outbox.oldest.seconds",
                        "How long the first of them has waited",
                        it -> seconds(it.oldest()))
                .counter(
                        "envelope.outbox.relayed",
                        "Dead letters that this process has delivered",
                        OutboxStatus::relayed)
                .counter(
                        "envelope.outbox.failures",
                        "How often delivering them was refused",
                        OutboxStatus::failures);
    }

    /** Of what repeats beside the engine. */
    public void ofLoops(Supplier<List<Recurring.Status>> loops) {
        Figures<List<Recurring.Status>> figures = new Figures<>(registry, loops);
        for (String name : List.of("requests", "requests-watch", "purge", "relay", "frozen-keys")) {
            Predicate<Recurring.Status> its = loop -> loop.name().equals(name);
            figures.counter(
                            "envelope.loop.failures",
                            "Turns of what repeats beside the engine that have thrown",
                            sum(its, Recurring.Status::failures),
                            "loop",
                            name)
                    .gauge(
                            "envelope.loop.failing",
                            "1 if its last turn has thrown; it is tried again",
                            sum(its, loop -> bit(loop.isFailing())),
                            "loop",
                            name);
        }
    }

    /** Of the keys whose row is at hand. */
    public void ofActors(Supplier<SnapshotCache<?>> cache) {
        new Figures<>(registry, cache)
                .gauge("actor.active", "Keys whose row is at hand", SnapshotCache::size)
                .counter(
                        "actor.evictions",
                        "Keys whose row had to go for others",
                        SnapshotCache::evictions);
    }

    /** Of the database's connections, under the names that Hikari's own would have. */
    public void ofConnections(Supplier<List<PoolUse>> pools) {
        Figures<List<PoolUse>> figures = new Figures<>(registry, pools);
        for (PoolUse each : pools.get()) {
            String name = each.name();
            Predicate<PoolUse> its = pool -> pool.name().equals(name);
            figures.gauge(
                            "hikaricp.connections",
                            "Connections that are open",
                            sum(its, PoolUse::open),
                            "pool",
                            name)
                    .gauge(
                            "hikaricp.connections.active",
                            "Connections that are lent out",
                            sum(its, PoolUse::active),
                            "pool",
                            name)
                    .gauge(
                            "hikaricp.connections.pending",
                            "Threads that wait for a connection",
                            sum(its, PoolUse::waiting),
                            "pool",
                            name)
                    .gauge(
                            "hikaricp.connections.max",
                            "Connections that may be open",
                            sum(its, PoolUse::most),
                            "pool",
                            name);
        }
    }

    /** Of the Kafka consumer, under the names that Micrometer gives them. */
    public void ofKafka(Supplier<Map<MetricName, ? extends Metric>> metrics) {
        var figures = new Figures<>(registry, metrics);
        for (KafkaFigure each : KafkaFigure.ALL) {
            if (each.isCounter()) {
                figures.counter(each.meter(), each.description(), each::countedIn);
            } else {
                figures.gauge(each.meter(), each.description(), each::in);
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

    /** What is registered of one source, a line a figure. */
    private record Figures<T>(MeterRegistry registry, Supplier<T> source) {

        Figures<T> gauge(
                String name,
                String description,
                ToDoubleFunction<? super T> figure,
                String... tags) {
            Gauge.builder(name, source, it -> figure.applyAsDouble(it.get()))
                    .description(description)
                    .tags(tags)
                    .strongReference(true)
                    .register(registry);
            return this;
        }

        Figures<T> counter(
                String name,
                String description,
                ToDoubleFunction<? super T> figure,
                String... tags) {
            FunctionCounter.builder(name, source, it -> figure.applyAsDouble(it.get()))
                    .description(description)
                    .tags(tags)
                    .register(registry);
            return this;
        }
    }
}
