package dev.envelope.idempotency.redrive;

import dev.envelope.core.Recurring;
import dev.envelope.core.mailbox.FoldWatch;
import dev.envelope.idempotency.store.place.SlotMoves;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop that carries out operators' requests, with a watch on the handler: a handler that takes
 * too long for a redriven message is interrupted, as for any other. However long one takes, others
 * see that this process is there.
 *
 * <p>Threads: one that carries out, one that watches it, and one that tells of both; closed from
 * any other.
 */
public final class Requests {

    private static final Logger log = LoggerFactory.getLogger(Requests.class);

    /** Short, since an operator waits for the answer. */
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    /** Whoever is silent for ten seconds is taken as ended. */
    private static final Duration TELL_EVERY = Duration.ofSeconds(1);

    private final List<? extends RequestDesk<?>> desks;
    private final List<SlotMoves.Pass> passes;
    private final Duration handlerTimeout;
    private final LongSupplier nanoTime;
    private volatile @Nullable FoldWatch watch; // the watch on the thread that carries out
    private final Recurring carryingOut;
    private final Recurring watching;
    private final Recurring telling;

    /**
     * Starts the threads.
     *
     * @param desks of slots that are at one place
     * @param passes of the same slots
     * @param handlerTimeout how long the handler may take for one message
     */
    public Requests(
            List<? extends RequestDesk<?>> desks,
            List<SlotMoves.Pass> passes,
            Duration handlerTimeout,
            LongSupplier nanoTime) {
        this.desks = List.copyOf(desks);
        this.passes = List.copyOf(passes);
        this.handlerTimeout = handlerTimeout;
        this.nanoTime = nanoTime;
        carryingOut = Recurring.start("requests", LOOK_EVERY, this::carryOut, this::leave);
        watching = Recurring.start("requests-watch", LOOK_EVERY, this::look);
        telling = Recurring.start("requests-seen", TELL_EVERY, this::tell);
    }

    private boolean carryOut() {
        FoldWatch before = watch;
        FoldWatch own = before == null ? new FoldWatch(handlerTimeout) : before;
        watch = own;
        boolean more = false;
        for (int i = 0; i < desks.size(); i++) {
            RequestDesk<?> desk = desks.get(i);
            more |= passes.get(i).turn(() -> desk.turn(own));
        }
        return more;
    }

    private void leave() {
        each(RequestDesk::leave);
    }

    private boolean tell() {
        each(RequestDesk::seen);
        return false;
    }

    private void each(Consumer<RequestDesk<?>> what) {
        for (int i = 0; i < desks.size(); i++) {
            RequestDesk<?> desk = desks.get(i);
            passes.get(i)
                    .turn(
                            () -> {
                                what.accept(desk);
                                return false;
                            });
        }
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

    /** All loops. */
    public List<Recurring> loops() {
        return List.of(carryingOut, watching, telling);
    }
}
