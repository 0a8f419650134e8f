package dev.envelope.idempotency.redrive;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.timer.SavedEffects;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out operators' requests, one at a time. After a few seconds, or when something that it
 * needs is away, a request goes behind the others. A request that breaks off is taken again, by
 * this process or another.
 *
 * <p>Threads: one thread, its caller's; {@link #turn} is one pass. {@link #seen} by any.
 *
 * @param <S> the state of a key
 */
public final class RequestDesk<S> {

    private static final Logger log = LoggerFactory.getLogger(RequestDesk.class);

    /** Added to the handler's timeout: for everything else in a step. */
    private static final Duration LEASE = Duration.ofSeconds(60);

    /** How long one request is carried out before others get their turn. */
    private static final Duration SLICE = Duration.ofSeconds(10);

    private static final Duration SHORTEST_REST = Duration.ofSeconds(1);
    private static final Duration LONGEST_REST = Duration.ofSeconds(30);

    /** How many resting requests are remembered, which is only for the text of their answers. */
    private static final int MOST_REMEMBERED = 1_000;

    /** After how many processes that ended or hung while carrying a request out it is given up. */
    private static final int MOST_BROKEN_OFF = 3;

    private final Redrive<S> redrive;
    private final Repair<S> repair;
    private final StateStore states;
    private final ParkedStore parked;
    private final RequestStore requests;
    private final Duration lease;
    private final LongSupplier nanoTime;

    /** By number: requests that this process has begun and that rest. */
    private final Map<Long, Begun> resting = new HashMap<>();

    private volatile boolean hasLeft;

    /** A request that was begun, and how often in a row it has failed to go on. */
    private record Begun(Progress progress, int failures) {}

    /**
     * @param handlerTimeout how long the handler may take for one message; the lease on a request
     *     is longer than that
     * @param effects is told of what redriven messages have emitted and set
     */
    public RequestDesk(
            EnvelopeFold<S, ?> fold,
            StateStore states,
            ParkedStore parked,
            RequestStore requests,
            SavedEffects effects,
            Duration handlerTimeout,
            LongSupplier nanoTime) {
        this.states = states;
        this.parked = parked;
        this.requests = requests;
        this.lease = LEASE.plus(handlerTimeout);
        this.nanoTime = nanoTime;
        this.redrive = new Redrive<>(fold, states, parked, effects, this::renews, nanoTime);
        this.repair = new Repair<>(fold, parked, requests, redrive);
    }

    /**
     * One pass: carries out the request that has waited longest, or a part of it.
     *
     * @param guard is entered and left around each call of user code
     * @return false if no request waits, or the database can't serve
     */
    public boolean turn(FoldGuard guard) {
        try {
            Optional<Request> taken = requests.take(lease);
            taken.ifPresent(request -> carryOut(request, guard));
            return taken.isPresent();
        } catch (UnavailableException e) {
            log.debug("requests have to wait for the database: {}", Words.describe(e));
            return false;
        }
    }

    /**
     * Records that this process is there, also while one step takes long. Not after it has left;
     * one that crosses with that makes the next of its name wait for ten seconds.
     */
    public void seen() {
        if (hasLeft) {
            return;
        }
        try {
            requests.seen();
        } catch (UnavailableException e) {
            log.debug("nobody can be told of this process: {}", Words.describe(e));
        }
    }

    /** Returns the requests of this process and takes no more. */
    public void leave() {
        hasLeft = true;
        try {
            requests.leave();
        } catch (UnavailableException e) {
            log.debug("leaving: {}", Words.describe(e)); // its leases expire a little later
        }
    }

    private void carryOut(Request request, FoldGuard guard) {
        Begun begun = begun(request, guard);
        Progress progress = begun.progress();
        try {
            if (!goesOn(progress)) {
                rest(begun, null); // another process has it, or it waits for a deletion
                return;
            }
        } catch (StoreException.RowLocked | HeldUpException e) {
            rest(new Begun(progress, begun.failures() + 1), e);
            return;
        } catch (UnavailableException e) {
            resting.put(request.number(), begun); // all requests have to wait
            throw e;
        } catch (RuntimeException e) {
            rest(new Begun(progress, begun.failures() + 1), e);
            throw e;
        }
        if (!progress.isAtItsEnd()) {
            rest(new Begun(progress, 0), null);
            return;
        }
        resting.put(request.number(), begun); // if it can't be answered now
        answer(request, progress);
        resting.remove(request.number());
    }

    /**
     * The progress that this process remembers; a new one if the database is in another
     * incarnation, or another process has carried the request out meanwhile and has died.
     */
    private Begun begun(Request request, FoldGuard guard) {
        Incarnation life = requests.incarnation();
        Begun before = resting.remove(request.number());
        if (before != null && before.progress().isOf(request, life)) {
            return before;
        }
        Progress progress = new Progress(request, guard, life);
        if (request.brokenOff() >= MOST_BROKEN_OFF && !progress.isRepaired()) {
            progress.end(
                    "given up: "
                            + request.brokenOff()
                            + " processes have ended, or were not heard of again, while they"
                            + " carried it out; mend the handler, or drop the message, and ask"
                            + " again");
        }
        return new Begun(progress, 0);
    }

    /**
     * Does steps until the request ends or its time slice is over.
     *
     * @return false if another process has the request now, or a deletion of the key goes first
     */
    private boolean goesOn(Progress progress) {
        long until = nanoTime.getAsLong() + SLICE.toNanos();
        while (!progress.isAtItsEnd() && nanoTime.getAsLong() - until < 0) {
            try {
                if (!step(progress)) {
                    return false;
                }
            } catch (StoreException.RowFault e) {
                progress.end(
                        (progress.hasDoneSomething() ? progress.said() + "; then " : "")
                                + "the row can't be stored: "
                                + e.getMessage());
            }
        }
        return true;
    }

    /**
     * Puts a request behind the others.
     *
     * @param trouble why it can't go on; null if its time slice is over
     */
    private void rest(Begun begun, @Nullable RuntimeException trouble) {
        Request request = begun.progress().request();
        Duration pause = Duration.ZERO;
        if (trouble != null) {
            pause = SHORTEST_REST.multipliedBy(1L << Math.min(begun.failures() - 1, 10));
            pause = pause.compareTo(LONGEST_REST) < 0 ? pause : LONGEST_REST;
        }
        if (begun.failures() == 1 && trouble != null) {
            log.warn(
                    "request {}: {} of key {} has to wait, and is tried again; others go on: {}",
                    request.number(),
                    request.action(),
                    Words.quote(request.key()),
                    Words.describe(trouble));
        }
        if (resting.size() >= MOST_REMEMBERED) {
            resting.clear();
        }
        resting.put(request.number(), begun);
        requests.rest(request, pause, lease);
    }

    private void answer(Request request, Progress progress) {
        if (requests.answer(request, progress.answer(), progress.life())) {
            log.info(
                    "request {}: {} of key {}: {}",
                    request.number(),
                    request.action(),
                    Words.quote(request.key()),
                    progress.answer());
        } // else another process has it now
    }

    /** The key's row or, if that was deleted by hand, one made from the parked messages. */
    private Snapshot row(Progress progress) {
        String key = progress.request().key();
        Snapshot row =
                states.load(List.of(key), progress.life()).getOrDefault(key, Snapshot.absent(key));
        return row.isAbsent() ? parked.rowOfParked(key) : row;
    }

    private boolean renews(Progress progress) {
        Optional<Request> now = requests.renew(progress.request(), lease);
        now.ifPresent(progress::goesOn);
        return now.isPresent();
    }

    /**
     * Does one save, or finds that nothing is left to save.
     *
     * @return false if another process has the request now, or a deletion of the key goes first
     */
    private boolean step(Progress progress) {
        Snapshot row = row(progress);
        if (!renews(progress)) {
            return false;
        }
        if (row.isAbsent() && row.parked() == 0) { // purged, or lost in a failover
            progress.end(progress.isRepaired() ? progress.said() : "not done: the key has no row");
            return true;
        }
        switch (progress.request().action()) {
            case SET -> repair.set(progress, row);
            case DELETE -> repair.delete(progress, row);
            case EDIT -> {
                if (progress.isReplaced()) {
                    redrive.step(progress, row);
                } else {
                    repair.replace(progress, row);
                }
            }
            case QUARANTINE -> repair.quarantine(progress, row);
            case REDRIVE, SKIP, SKIP_FAILING, DROP -> redrive.step(progress, row);
        }
        return true;
    }
}
