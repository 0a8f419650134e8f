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
 * Carries out what operators ask for, one request at a time, and each for a few seconds at a time:
 * then it lets the others go first, as it does when something that it needs is away. A request that
 * breaks off is taken again, by this process or another.
 *
 * <p>Threads: one thread, its caller's; {@link #turn} does some of one request by hand.
 *
 * @param <S> the state of a key
 */
public final class RequestDesk<S> {

    private static final Logger log = LoggerFactory.getLogger(RequestDesk.class);

    /** Beyond the time that a handler may take for a message: for all else that a step does. */
    private static final Duration LEASE = Duration.ofSeconds(60);

    /** How long one request is carried out before others that wait. */
    private static final Duration SLICE = Duration.ofSeconds(10);

    private static final Duration SHORTEST_REST = Duration.ofSeconds(1);
    private static final Duration LONGEST_REST = Duration.ofSeconds(30);

    /** Those that rest are remembered for the words of their answers only. */
    private static final int MOST_REMEMBERED = 1_000;

    /** How many processes may end, or stand still, while they carry a request out. */
    private static final int MOST_BROKEN_OFF = 3;

    private final Redrive<S> redrive;
    private final Repair<S> repair;
    private final StateStore states;
    private final ParkedStore parked;
    private final RequestStore requests;
    private final Duration lease;
    private final LongSupplier nanoTime;

    /** By number: those that rest, and have been begun here. */
    private final Map<Long, Begun> resting = new HashMap<>();

    /** A request that was begun, and how often in a row it could not go on. */
    private record Begun(Progress progress, int failures) {}

    /**
     * @param handlerTimeout how long the handler may be at one message: a request stays this
     *     process's for longer than that
     */
    public RequestDesk(
            EnvelopeFold<S, ?> fold,
            StateStore states,
            ParkedStore parked,
            RequestStore requests,
            Duration handlerTimeout,
            LongSupplier nanoTime) {
        this.redrive = new Redrive<>(fold, states, parked, nanoTime);
        this.repair = new Repair<>(fold, parked, requests, redrive);
        this.states = states;
        this.parked = parked;
        this.requests = requests;
        this.lease = LEASE.plus(handlerTimeout);
        this.nanoTime = nanoTime;
    }

    /**
     * Carries out the request that waits longest, or some of it.
     *
     * @param guard is told of each message that user code is at
     * @return false if none waits, or the database can't serve
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

    /** Says that no more will be carried out here. */
    public void leave() {
        try {
            requests.leave();
        } catch (UnavailableException e) {
            log.debug("leaving: {}", Words.describe(e)); // it will be seen as gone a little later
        }
    }

    private void carryOut(Request request, FoldGuard guard) {
        Begun begun = begun(request, guard);
        Progress progress = begun.progress();
        try {
            if (!goesOn(progress)) {
                return; // somebody else has gone on with it
            }
        } catch (StoreException.RowLocked | HeldUpException e) {
            rest(new Begun(progress, begun.failures() + 1), e);
            return;
        } catch (UnavailableException e) {
            throw e; // whatever is asked for has to wait
        } catch (RuntimeException e) {
            rest(new Begun(progress, begun.failures() + 1), e);
            throw e;
        }
        if (progress.isAtItsEnd()) {
            answer(request, progress);
        } else {
            rest(new Begun(progress, 0), null);
        }
    }

    /** As it was left here; what was done in another life of the database is begun anew. */
    private Begun begun(Request request, FoldGuard guard) {
        Incarnation life = requests.incarnation();
        Begun before = resting.remove(request.number());
        if (before != null && before.progress().life().equals(life)) {
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
     * Step by step, to its end or as long as it may.
     *
     * @return false if the request is not ours any more
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
     * Lets the others go first.
     *
     * @param trouble why it can't go on; null if it only has been carried out for long enough
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
        requests.answer(request, progress.answer(), progress.life());
        log.info(
                "request {}: {} of key {}: {}",
                request.number(),
                request.action(),
                Words.quote(request.key()),
                progress.answer());
    }

    /** As it is; or, if it was deleted by hand, as what is parked of its key makes it anew. */
    private Snapshot row(Progress progress) {
        String key = progress.request().key();
        Snapshot row =
                states.load(List.of(key), progress.life()).getOrDefault(key, Snapshot.absent(key));
        return row.isAbsent() ? parked.rowOfParked(key) : row;
    }

    /**
     * One save, or the finding that there is nothing more to save.
     *
     * @return false if the request is not ours any more
     */
    private boolean step(Progress progress) {
        Snapshot row = row(progress);
        Optional<Request> now = requests.renew(progress.request(), lease);
        if (now.isEmpty()) {
            return false;
        }
        progress.goesOn(now.get());
        if (row.isAbsent() && row.parked() == 0) { // purged, or lost by a fail-over
            progress.end(progress.isRepaired() ? progress.said() : "not done: the key has no row");
            return true;
        }
        switch (now.get().action()) {
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
