package dev.envelope.app.ops;

import dev.envelope.core.Recurring;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.status.WaitingKeys;
import dev.envelope.idempotency.outbox.OutboxStatus;
import dev.envelope.idempotency.store.PoolUse;
import dev.envelope.idempotency.store.SnapshotCache;
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
        gauge(status, "envelope.up", "1 if the process is ready", it -> bit(isReady(it)));
        gauge(status, "envelope.inflight", "Records not yet durable", ProcessStatus::unacked);
        gauge(
                status,
                "envelope.oldest.unacked.seconds",
                "Age of the oldest record that is not yet durable",
                it -> seconds(it.oldestUnacked()));
        gauge(
                status,
                "envelope.commit.lag.records",
                "Records fetched beyond what Kafka was told",
                ProcessStatus::uncommitted);
        gauge(
                status,
                "envelope.lag.records",
                "Records in the log and not yet durable",
                ProcessStatus::lag);
        gauge(
                status,
                "envelope.records.per.write",
                "Records for each row written, since the start",
                it -> it.totals().recordsPerWrite());
        gauge(
                status,
                "envelope.partitions.assigned",
                "Partitions of this process",
                it -> it.partitions().size());
        gauge(
                status,
                "envelope.partitions.stopped",
                "Partitions that need a person",
                it -> it.partitions().stream().filter(PartitionStatus::stopped).count());
        gauge(
                status,
                "envelope.poll.beat.age.seconds",
                "How long ago the poll loop last turned",
                it -> seconds(it.beatAge()));
        gauge(
                status,
                "envelope.broker.silence.seconds",
                "How long no broker has answered anything",
                it -> seconds(it.brokerSilence()));
        for (Standing.Doing doing : Standing.Doing.WAITS_FOR_OTHERS) {
            Gauge.builder("envelope.keys.waiting", status, it -> waiting(it.get(), doing))
                    .description("Keys that wait for what is away besides the servers")
                    .tag("for", doing.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .strongReference(true)
                    .register(registry);
        }
        gauge(
                status,
                "envelope.frozen.keys",
                "Keys with parked messages, of the partitions of this process",
                it -> it.frozen().keys());
        gauge(
                status,
                "envelope.frozen.messages",
                "Messages that stand parked, of the partitions of this process",
                it -> it.frozen().messages());
        gauge(
                status,
                "envelope.frozen.oldest.seconds",
                "How long the first of them has been parked",
                it -> seconds(it.frozen().oldest()));
        gauge(status, "envelope.pool.size", "Workers", it -> it.pool().size());
        gauge(status, "envelope.pool.busy", "Workers in a turn", it -> it.pool().busy());
        gauge(
                status,
                "envelope.pool.stuck",
                "Workers whose handler does not heed an interrupt",
                it -> it.pool().stuck());
        gauge(
                status,
                "envelope.pool.capacity.bytes",
                "What may be in mailboxes at most, all together",
                it -> it.pool().mailboxBytes());
        gauge(
                status,
                "envelope.pool.held.bytes",
                "What is in mailboxes and not yet durable",
                ProcessStatus::heldBytes);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ClassLoaderMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        return this;
    }

    private static double waiting(ProcessStatus status, Standing.Doing doing) {
        return status.waiting().stream()
                .filter(it -> it.doing() == doing)
                .mapToLong(WaitingKeys::keys)
                .sum();
    }

    /** Of what waits to be delivered. */
    public void ofOutbox(Supplier<OutboxStatus> outbox) {
        Gauge.builder("envelope.outbox.rows", outbox, it -> it.get().rows())
                .description("Dead letters that wait in the database, up to outbox.max.rows")
                .strongReference(true)
                .register(registry);
        Gauge.builder("envelope.outbox.oldest.seconds", outbox, it -> seconds(it.get().oldest()))
                .description("How long the first of them has waited")
                .strongReference(true)
                .register(registry);
        FunctionCounter.builder("envelope.outbox.relayed", outbox, it -> it.get().relayed())
                .description("Dead letters that this process has delivered")
                .register(registry);
        FunctionCounter.builder("envelope.outbox.failures", outbox, it -> it.get().failures())
                .description("How often delivering them was refused")
                .register(registry);
    }

    /** Of what repeats beside the engine. */
    public void ofLoops(Supplier<List<Recurring.Status>> loops) {
        for (String name : List.of("requests", "requests-watch", "purge", "relay", "frozen-keys")) {
            FunctionCounter.builder(
                            "envelope.loop.failures",
                            loops,
                            it -> sum(it.get(), name, Recurring.Status::failures))
                    .description("Turns of what repeats beside the engine that have thrown")
                    .tag("loop", name)
                    .register(registry);
            Gauge.builder(
                            "envelope.loop.failing",
                            loops,
                            it -> sum(it.get(), name, loop -> bit(loop.isFailing())))
                    .description("1 if its last turn has thrown; it is tried again")
                    .tag("loop", name)
                    .strongReference(true)
                    .register(registry);
        }
    }

    private static double sum(
            List<Recurring.Status> loops, String name, ToDoubleFunction<Recurring.Status> figure) {
        return loops.stream().filter(loop -> loop.name().equals(name)).mapToDouble(figure).sum();
    }

    /** Of the keys whose row is at hand. */
    public void ofActors(Supplier<SnapshotCache<?>> cache) {
        Gauge.builder("actor.active", cache, it -> it.get().size())
                .description("Keys whose row is at hand")
                .strongReference(true)
                .register(registry);
        FunctionCounter.builder("actor.evictions", cache, it -> it.get().evictions())
                .description("Keys whose row had to go for others")
                .register(registry);
    }

    /** Of the database's connections, under the names that Hikari's own would have. */
    public void ofConnections(Supplier<List<PoolUse>> pools) {
        for (PoolUse pool : pools.get()) {
            ofPool(
                    pools,
                    pool.name(),
                    "hikaricp.connections",
                    "Connections that are open",
                    PoolUse::open);
            ofPool(
                    pools,
                    pool.name(),
                    "hikaricp.connections.active",
                    "Connections that are lent out",
                    PoolUse::active);
            ofPool(
                    pools,
                    pool.name(),
                    "hikaricp.connections.pending",
                    "Threads that wait for a connection",
                    PoolUse::waiting);
            ofPool(
                    pools,
                    pool.name(),
                    "hikaricp.connections.max",
                    "Connections that may be open",
                    PoolUse::most);
        }
    }

    private void ofPool(
            Supplier<List<PoolUse>> pools,
            String name,
            String metric,
            String description,
            ToDoubleFunction<PoolUse> figure) {
        Gauge.builder(
                        metric,
                        pools,
                        it ->
                                it.get().stream()
                                        .filter(pool -> pool.name().equals(name))
                                        .mapToDouble(figure)
                                        .sum())
                .description(description)
                .tag("pool", name)
                .strongReference(true)
                .register(registry);
    }

    /** Of the Kafka consumer, under the names that Micrometer gives them. */
    public void ofKafka(Supplier<Map<MetricName, ? extends Metric>> metrics) {
        KafkaFigure.ALL.forEach(figure -> ofKafka(metrics, figure));
    }

    private void ofKafka(Supplier<Map<MetricName, ? extends Metric>> metrics, KafkaFigure figure) {
        if (figure.isCounter()) {
            FunctionCounter.builder(figure.meter(), metrics, it -> figure.countedIn(it.get()))
                    .description(figure.description())
                    .register(registry);
        } else {
            Gauge.builder(figure.meter(), metrics, it -> figure.in(it.get()))
                    .description(figure.description())
                    .strongReference(true)
                    .register(registry);
        }
    }

    private void gauge(
            Supplier<ProcessStatus> status,
            String name,
            String description,
            ToDoubleFunction<ProcessStatus> figure) {
        Gauge.builder(name, status, it -> figure.applyAsDouble(it.get()))
                .description(description)
                .strongReference(true)
                .register(registry);
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
}
