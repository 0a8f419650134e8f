package dev.envelope.idempotency.redrive;

import dev.envelope.core.Recurring;
import dev.envelope.core.mailbox.FoldWatch;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what operators ask for, again and again. A handler that stays too long at a message
 * which is redriven is interrupted, as with any other.
 *
 * <p>Threads: one of its own, and one that watches it; it may be closed by any other.
 */
public final class Requests implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Requests.class);

    /** An operator waits for the answer. */
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    private final RequestDesk<?> desk;
    private final Duration handlerTimeout;
    private final LongSupplier nanoTime;
    private volatile @Nullable FoldWatch watch; // of the thread that carries out
    private final Recurring carryingOut;
    private final Recurring watching;

    /**
     * Begins.
     *
     * @param handlerTimeout how long the handler may be at one message
     */
    public Requests(RequestDesk<?> desk, Duration handlerTimeout, LongSupplier nanoTime) {
        this.desk = desk;
        this.handlerTimeout = handlerTimeout;
        this.nanoTime = nanoTime;
        carryingOut = Recurring.start("requests", LOOK_EVERY, this::carryOut, desk::leave);
        watching = Recurring.start("requests-watch", LOOK_EVERY, this::look);
    }

    private boolean carryOut() {
        FoldWatch own = watch;
        if (own == null) {
            own = new FoldWatch(handlerTimeout);
            watch = own;
        }
        return desk.turn(own);
    }

    private boolean look() {
        FoldWatch its = watch;
        if (its != null) {
            its.look(nanoTime.getAsLong()).ifPresent(Requests::say);
        }
        return false;
    }

    private static void say(FoldWatch.Sighting seen) {
        switch (seen.finding()) {
            case INTERRUPTED ->
                    log.warn(
                            "{} has been at message {}, which is redriven, for longer than"
                                    + " handler.timeout: it was interrupted",
                            seen.handler().getName(),
                            seen.message(),
                            seen.where());
            case STUCK ->
                    log.error(
                            "{} ignores the interrupt: this process carries out no more"
                                    + " requests until it is restarted",
                            seen.handler().getName(),
                            seen.where());
        }
    }

    /** How it does. */
    public List<Recurring.Status> status() {
        return List.of(carryingOut.status(), watching.status());
    }

    /** Waits for the request that is being carried out, for a while. */
    @Override
    public void close() {
        watching.close();
        carryingOut.close();
    }
}
