package dev.envelope.app.process;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.WorkKeys;
import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.app.logging.LogLevels;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.prepare.StartPreparation;
import dev.envelope.app.start.RefusedStartException;
import dev.envelope.app.start.StartGate;
import dev.envelope.app.wiring.EngineWiring;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.idempotency.Application;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that consumes: settings → servers → engine → signal → drain → exit code.
 *
 * <p>Threads: one thread runs it; a signal or the engine's end wakes that thread.
 */
public final class ConsumerProcess {

    private static final Logger log = LoggerFactory.getLogger("envelope");

    /** What is of a slot that has left is not saved here any more, however long one waits. */
    private static final Duration DRAIN_BEFORE_NEW_START = Duration.ofSeconds(5);

    private final Settings settings;
    private final Supplier<Settings> source;
    private final StopRequest stop = new StopRequest(ConsumerProcess::force);
    private final StartLog startLog;

    /**
     * A process with these settings, not started.
     *
     * @param source reads the settings again, for a reload
     */
    public ConsumerProcess(Settings settings, Supplier<Settings> source) {
        this.settings = settings;
        this.source = source;
        this.startLog = new StartLog(settings);
    }

    /**
     * Runs until it is stopped, or the engine fails. When a slot of the rows has moved to another
     * database, the application starts anew.
     *
     * @return the code to exit with
     */
    public int run() throws InterruptedException {
        int code = runOnce();
        while (code == ExitCode.START_ANEW && stop.isToStartAnew()) {
            stop.started();
            code = runOnce();
        }
        return code == ExitCode.START_ANEW ? ExitCode.OK : code; // a signal came in between
    }

    private int runOnce() throws InterruptedException {
        LogLevels.set(settings.get(OperationKeys.LOG_LEVEL).name());
        if (settings.get(OperationKeys.LOG_FORMAT) == OperationKeys.LogFormat.JSON) {
            LogLevels.asJson();
        }
        ProcessStatus.Identity identity = identity();
        ConsumerSettings engine = EngineWiring.of(settings, identity.instance());
        GivenUpFields givenUp = new GivenUpFields();
        try (Mode mode = Modes.of(settings, identity.instance(), givenUp)) {
            StartGate servers =
                    new StartGate(startLog::waiting, System::nanoTime, mode.servers()).begin();
            try (Operations operations =
                    new Operations(settings, source, identity, mode.operators(), givenUp)) {
                Signals.listen(kind -> signalled(kind, operations));
                startLog.begin(identity, mode, operations.url());
                if (!servers.await(settings.get(OperationKeys.START_TIMEOUT), stop.asked())) {
                    log.info("stopped before it had started");
                    return ExitCode.OK;
                }
                startLog.serversAreThere(mode);
                return runEngine(engine, mode, operations);
            }
        }
    }

    private int runEngine(ConsumerSettings engine, Mode mode, Operations operations)
            throws InterruptedException {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        try (Running running = refusingWrongClients(() -> mode.open(engine, operations))) {
            EnvelopeConsumer consumer = running.application().consumer();
            endNotBeforeLastWords(consumer);
            consumer.onStateChange(state -> changed(state, operations));
            running.whenSlotsMoved(this::startAnew);
            consumer.keys().limitTo(settings.get(LimitKeys.KEY_MAX_RATE));
            running.begin();
            Optional<StartPreparation> preparation =
                    StartPreparation.begin(settings.get(OperationKeys.START_PREPARE));
            stop.asked().await();
            preparation.ifPresent(StartPreparation::close);
            running.end();
            return end(running.application(), operations);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    private static <T> T refusingWrongClients(Supplier<T> made) {
        try {
            return made.get();
        } catch (KafkaException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new RefusedStartException(
                    List.of(
                            "the Kafka client refuses its settings: "
                                    + cause.getMessage()
                                    + " (see kafka.*)"));
        }
    }

    /** An OutOfMemoryError ends the process, but not before the engine has recorded its cause. */
    private static void endNotBeforeLastWords(EnvelopeConsumer consumer) {
        Thread.UncaughtExceptionHandler next = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, thrown) -> {
                    if (thrown instanceof OutOfMemoryError) {
                        consumer.awaitLastWords();
                    }
                    if (next != null) {
                        next.uncaughtException(thread, thrown);
                    }
                });
    }

    /** Called on a thread of the engine; must not block. */
    private void changed(EnvelopeConsumer.State state, Operations operations) {
        if (state == EnvelopeConsumer.State.RUNNING) {
            startLog.running(operations.status());
        } else if (state == EnvelopeConsumer.State.FAILED
                || state == EnvelopeConsumer.State.CLOSED) {
            stop.engineEnded();
        }
    }

    private int end(Application application, Operations operations) {
        EnvelopeConsumer consumer = application.consumer();
        Signals.Kind signal = stop.signal();
        if (consumer.ranOutOfMemory()) {
            log.error("memory has run out; nothing was committed after it, and the process ends");
            consumer.awaitLastWords();
            LogLevels.flushAndStop();
            Runtime.getRuntime().halt(ExitCode.OUT_OF_MEMORY); // an orderly end might need memory
        }
        if (stop.isToStartAnew() && consumer.state() != EnvelopeConsumer.State.FAILED) {
            application.close(DRAIN_BEFORE_NEW_START);
            if (consumer.state() == EnvelopeConsumer.State.CLOSED) {
                return ExitCode.START_ANEW;
            }
            log.error("the application did not end in time: a new process has to take its place");
            return ExitCode.START_ANEW_ELSEWHERE;
        }
        if (signal == null || consumer.state() == EnvelopeConsumer.State.FAILED) {
            log.error("the engine has failed; nothing was committed after it");
            application.close();
            return consumer.fault() instanceof FencedInstanceIdException
                    ? ExitCode.CONFIG
                    : ExitCode.INTERNAL;
        }
        return new Drain(
                        application,
                        operations.status(),
                        settings.get(OperationKeys.SHUTDOWN_DRAIN_TIMEOUT))
                .run(signal);
    }

    /** Called on any thread, again and again. */
    private void startAnew(String why) {
        if (stop.startAnew()) {
            log.info("{}: what was fetched is saved, and the application starts anew", why);
        }
    }

    private ProcessStatus.Identity identity() {
        return new ProcessStatus.Identity(
                Version.current(),
                settings.get(ReadKeys.APPLICATION_ID),
                Instance.name(settings),
                settings.fingerprint(),
                settings.get(WorkKeys.MODE).name().toLowerCase(Locale.ROOT));
    }

    /** Called on a thread of its own, for each signal. */
    private void signalled(Signals.Kind kind, Operations operations) {
        if (kind == Signals.Kind.HUP) {
            operations.reload();
        }
        stop.signalled(kind);
    }

    /** Called on any thread, for a second signal. */
    private static void force(Signals.Kind signal) {
        log.warn("SIG{} again: ending at once; what was not saved will be read again", signal);
        LogLevels.flushAndStop();
        Runtime.getRuntime().halt(ExitCode.ofSignal(signal.number()));
    }
}
