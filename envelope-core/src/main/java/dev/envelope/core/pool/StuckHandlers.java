package dev.envelope.core.pool;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.Words;
import dev.envelope.core.mailbox.FoldWatch;
import dev.envelope.core.mailbox.FoldWatch.Sighting;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles workers whose handler takes too long for one message, and counts them.
 *
 * <p>Threads: the watchdog looks, workers report that they have returned, any thread reads
 * (atomics).
 */
final class StuckHandlers {

    private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

    private final Telemetry telemetry;
    private final LongAdder timeouts = new LongAdder();
    private final LongAdder replaced = new LongAdder();
    private final AtomicInteger stuck = new AtomicInteger();

    StuckHandlers(Telemetry telemetry) {
        this.telemetry = telemetry;
    }

    /**
     * Watchdog: interrupts a handler whose time is up, and checks whether it ignores that.
     *
     * @param most how many workers may be replaced
     * @return whether another worker is to take the place of this one
     */
    boolean look(FoldWatch watch, long now, int most) {
        return watch.look(now)
                .map(
                        seen ->
                                switch (seen.finding()) {
                                    case INTERRUPTED -> timedOut(seen);
                                    case STUCK -> isStuck(seen, most);
                                })
                .orElse(false);
    }

    private boolean timedOut(Sighting seen) {
        timeouts.increment();
        telemetry.handlerTimedOut();
        log.warn(
                "{} has taken longer than handler.timeout and is interrupted; where it is no"
                        + " decoder or codec, that is a failed attempt",
                describe(seen),
                seen.where());
        return false;
    }

    private boolean isStuck(Sighting seen, int most) {
        boolean isReplaced = stuck.incrementAndGet() <= most;
        if (isReplaced) {
            replaced.increment();
            telemetry.workerReplaced();
        }
        log.error(
                "{} ignores the interrupt; its key waits for it, and {}",
                describe(seen),
                isReplaced
                        ? "another worker takes the place of its own"
                        : "no worker takes the place of its own, for "
                                + most
                                + " have been replaced already (pool.size): mend the handler"
                                + " and start again",
                seen.where());
        return isReplaced;
    }

    private static String describe(Sighting sighting) {
        Message at = sighting.message();
        String message =
                at == null ? "a message" : "message " + at + " of key " + Words.quote(at.key());
        return "handler " + sighting.handler().getName() + " at " + message;
    }

    /** Worker: this many handlers that were reported as stuck have returned. */
    void cameBack(int times) {
        stuck.addAndGet(-times);
    }

    /** Workers that may never return. */
    int now() {
        return Math.max(stuck.get(), 0); // one may have returned before it was counted
    }

    long timeouts() {
        return timeouts.sum();
    }

    long replaced() {
        return replaced.sum();
    }
}
