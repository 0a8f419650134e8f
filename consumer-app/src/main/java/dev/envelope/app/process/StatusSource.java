package dev.envelope.app.process;

import dev.envelope.app.ops.Meters;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.fetch.EngineStatus;
import dev.envelope.idempotency.outbox.OutboxStatus;
import dev.envelope.idempotency.outbox.Relay;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts together how the process stands, whether or not the engine exists yet.
 *
 * <p>Threads: thread-safe (volatile references).
 */
final class StatusSource implements Supplier<ProcessStatus> {

    private final long begun = System.nanoTime();
    private final ProcessStatus.Identity identity;
    private final Meters meters;
    private volatile Workers workers = new Workers("", 0);
    private volatile Supplier<OutboxStatus> outbox = () -> OutboxStatus.EMPTY;
    private volatile @Nullable EnvelopeConsumer consumer;
    private volatile @Nullable BrokerSilence silence;

    /**
     * What the settings say of the workers.
     *
     * @param behavior what each of them does with messages
     * @param mailboxBytes how much may wait for them
     */
    record Workers(String behavior, long mailboxBytes) {}

    StatusSource(ProcessStatus.Identity identity, Meters meters) {
        this.identity = identity;
        this.meters = meters;
    }

    /** From now on this engine, its brokers and this relay are asked. */
    void attach(EnvelopeConsumer engine, Workers its, BrokerSilence itsBrokers, Relay relay) {
        workers = its;
        outbox = relay::status;
        silence = itsBrokers;
        consumer = engine;
    }

    @Override
    public ProcessStatus get() {
        EnvelopeConsumer engine = consumer;
        BrokerSilence brokers = silence;
        if (engine == null || brokers == null) {
            return ProcessStatus.preparing(identity, uptime(), meters.totals());
        }
        EngineStatus status = engine.status();
        return new ProcessStatus(
                identity,
                engine.state().name(),
                uptime(),
                Duration.ofNanos(Math.max(0, System.nanoTime() - status.beatNanos())),
                status.joined(),
                status.storeReachable(),
                brokers.duration(),
                status.partitions(),
                ProcessStatus.Pool.of(workers.behavior(), workers.mailboxBytes(), engine.pool()),
                outbox.get(),
                meters.totals());
    }

    Duration uptime() {
        return Duration.ofNanos(System.nanoTime() - begun);
    }
}
