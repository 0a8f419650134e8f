package dev.envelope.app.process;

import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.Recurring;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.Application;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a process after a signal: it saves what was fetched, and logs the progress each
 * second.
 *
 * <p>Threads: one thread, the one that runs the process; the countdown has a thread of its own.
 */
final class Drain {

    private static final Logger log = LoggerFactory.getLogger("envelope");

    private final Application application;
    private final StatusSource status;
    private final Duration timeout;

    Drain(Application application, StatusSource status, Duration timeout) {
        this.application = application;
        this.status = status;
        this.timeout = timeout;
    }

    /** Drains, and returns the exit code. */
    int run(Signals.Kind signal) {
        log.info(
                "SIG{}: saving what was fetched, for {} s at most; a second signal ends at once",
                signal,
                timeout.toSeconds());
        long begun = System.nanoTime();
        boolean complete = drain(begun);
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        if (complete) {
            log.info("stopped after {} ms, everything fetched was saved", took.toMillis());
            return ExitCode.OK;
        }
        if (application.consumer().state() == EnvelopeConsumer.State.FAILED) {
            return ExitCode.INTERNAL;
        }
        if (took.compareTo(timeout) < 0) {
            log.warn("stopped; what waited for another attempt will be read again");
            return ExitCode.OK;
        }
        log.error(
                "not everything was saved within {} s (shutdown.drain.timeout); the rest will be read"
                        + " again",
                timeout.toSeconds());
        return ExitCode.ofSignal(signal.number());
    }

    private boolean drain(long begun) {
        Recurring countdown =
                Recurring.start("countdown", Duration.ofSeconds(1), () -> count(begun));
        try {
            return application.close(timeout);
        } finally {
            countdown.close();
        }
    }

    private boolean count(long begun) {
        long left = timeout.minusNanos(System.nanoTime() - begun).toSeconds();
        log.info(
                "draining: {} to save, {} s left",
                Words.count(status.get().unacked(), "message"),
                Math.max(0, left));
        return false;
    }
}
