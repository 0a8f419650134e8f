package dev.envelope.app.process;

import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.EnvelopeApplication;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a process that was asked to stop: what was fetched is saved, and a line a second says
 * how far it is.
 *
 * <p>Threads: one thread, the one that runs the process; the countdown has a thread of its own.
 */
final class Drain {

    private static final Logger log = LoggerFactory.getLogger("envelope");

    private final EnvelopeApplication application;
    private final StatusSource status;
    private final Duration timeout;

    Drain(EnvelopeApplication application, StatusSource status, Duration timeout) {
        this.application = application;
        this.status = status;
        this.timeout = timeout;
    }

    /** Drains, and says with which code the process is to end. */
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
        CountDownLatch done = new CountDownLatch(1);
        Thread countdown = new Thread(() -> count(begun, done), "envelope-countdown");
        countdown.setDaemon(true);
        countdown.start();
        try {
            return application.close(timeout);
        } finally {
            done.countDown();
        }
    }

    private void count(long begun, CountDownLatch done) {
        try {
            while (!done.await(1, TimeUnit.SECONDS)) {
                long left = timeout.minusNanos(System.nanoTime() - begun).toSeconds();
                log.info(
                        "draining: {} to save, {} s left",
                        Words.count(status.get().unacked(), "message"),
                        Math.max(0, left));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
