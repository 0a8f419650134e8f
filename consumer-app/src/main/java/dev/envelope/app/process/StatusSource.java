package dev.envelope.app.process;

import dev.envelope.app.ops.Frozen;
import dev.envelope.app.ops.Meters;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.idempotency.EnvelopeApplication;
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
    private final long mostFrozen;
    private volatile Workers workers = new Workers("", 0);
    private volatile @Nullable EnvelopeApplication application;
    private volatile @Nullable BrokerSilence silence;
    private volatile @Nullable Strain strain;

    /**
     * What the settings say of the workers.
     *
     * @param behavior what each of them does with messages
     * @param mailboxBytes how much may wait for them
     */
    record Workers(String behavior, long mailboxBytes) {}

    /**
     * @param mostFrozen keys, with which the process is still ready
     */
    StatusSource(ProcessStatus.Identity identity, Meters meters, long mostFrozen) {
        this.mostFrozen = mostFrozen;
        this.identity = identity;
        this.meters = meters;
    }

    /** From now on this application and its brokers are asked. */
    void attach(
            EnvelopeApplication its,
            Workers itsWorkers,
            BrokerSilence itsBrokers,
            Strain itsStrain) {
        workers = itsWorkers;
        strain = itsStrain;
        silence = itsBrokers;
        application = its;
    }

    @Override
    public ProcessStatus get() {
        EnvelopeApplication its = application;
        BrokerSilence brokers = silence;
        Strain sought = strain;
        if (its == null || brokers == null || sought == null) {
            return ProcessStatus.preparing(identity, uptime(), meters.totals());
        }
        EnvelopeConsumer engine = its.consumer();
        EngineStatus status = engine.status();
        return new ProcessStatus(
                identity,
                engine.state().name(),
                uptime(),
                Duration.ofNanos(Math.max(0, System.nanoTime() - status.beatNanos())),
                status.joined(),
                status.storeReachable(),
                status.notCommitted(),
                status.missingTopics(),
                brokers.duration(),
                status.partitions(),
                ProcessStatus.Pool.of(workers.behavior(), workers.mailboxBytes(), engine.pool()),
                its.outbox(),
                its.loops(),
                engine.inspector().waitingForOthers(),
                new Frozen(its.frozen(), mostFrozen),
                sought.words(),
                meters.totals());
    }

    Duration uptime() {
        return Duration.ofNanos(System.nanoTime() - begun);
    }
}
