package dev.envelope.app.process;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.ops.Frozen;
import dev.envelope.app.ops.Meters;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.Recurring;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.idempotency.Application;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the status of the process, before and after the engine exists.
 *
 * <p>Threads: thread-safe (a volatile reference).
 */
final class StatusSource implements Supplier<ProcessStatus> {

    private final long begun = System.nanoTime();
    private final ProcessStatus.Identity identity;
    private final Meters meters;
    private final long mailboxBytes;
    private final long mostFrozen;
    private volatile @Nullable Running running;

    /**
     * The parts that exist once there is an engine.
     *
     * @param behavior what each worker does with messages
     */
    private record Running(
            Application application,
            Supplier<List<Recurring.Status>> loops,
            String behavior,
            BrokerSilence brokers,
            Strain strain) {}

    StatusSource(ProcessStatus.Identity identity, Meters meters, Settings settings) {
        this.identity = identity;
        this.meters = meters;
        this.mailboxBytes = settings.get(LimitKeys.PREFETCH_MAX_BYTES);
        this.mostFrozen =
                settings.find(OperationKeys.READY_MAX_FROZEN_KEYS)
                        .map(Integer::longValue)
                        .orElse(Long.MAX_VALUE);
    }

    /** Includes this application and its brokers from now on. */
    void attach(
            Application application,
            Supplier<List<Recurring.Status>> loops,
            String behavior,
            BrokerSilence brokers,
            Strain strain) {
        running = new Running(application, loops, behavior, brokers, strain);
    }

    @Override
    public ProcessStatus get() {
        Running asked = running;
        if (asked == null) {
            return ProcessStatus.preparing(identity, uptime(), meters.totals());
        }
        Application its = asked.application();
        EnvelopeConsumer engine = its.consumer();
        EngineStatus status = engine.status();
        return new ProcessStatus(
                identity,
                engine.state().name(),
                uptime(),
                Duration.ofNanos(Math.max(0, System.nanoTime() - status.beatNanos())),
                status,
                asked.brokers().duration(),
                ProcessStatus.Pool.of(asked.behavior(), mailboxBytes, engine.pool()),
                its.outbox(),
                its.outputs(),
                asked.loops().get(),
                engine.inspector().waitingForOthers(),
                new Frozen(its.frozen(), mostFrozen),
                asked.strain().words(),
                meters.totals(),
                its.slots(),
                its.places());
    }

    Duration uptime() {
        return Duration.ofNanos(System.nanoTime() - begun);
    }
}
