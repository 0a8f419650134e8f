package dev.envelope.idempotency.redrive;

import dev.envelope.core.api.FoldGuard;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.store.ParkedStore;
import dev.envelope.idempotency.store.ParkedStore.Request;
import dev.envelope.idempotency.store.Snapshot;
import dev.envelope.idempotency.store.StateStore;
import dev.envelope.idempotency.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what operators ask for, one request at a time. A request that breaks off is taken
 * again, by this process or another.
 *
 * <p>Threads: one thread, its caller's; {@link #turn} does one request by hand.
 *
 * @param <S> the state of a key
 */
public final class RequestDesk<S> {

    private static final Logger log = LoggerFactory.getLogger(RequestDesk.class);
    private static final Duration LEASE = Duration.ofSeconds(60);

    /** How many processes may end, or stand still, while they carry a request out. */
    private static final int MOST_BROKEN_OFF = 3;

    private final Redrive<S> redrive;
    private final Repair<S> repair;
    private final StateStore states;
    private final ParkedStore parked;

    public RequestDesk(EnvelopeFold<S, ?> fold, StateStore states, ParkedStore parked) {
        this.redrive = new Redrive<>(fold, parked);
        this.repair = new Repair<>(fold, parked, redrive);
        this.states = states;
        this.parked = parked;
    }

    /**
     * Carries out the oldest request that waits.
     *
     * @param guard is told of each message that user code is at
     * @return false if none does, or the database can't serve
     */
    public boolean turn(FoldGuard guard) {
        try {
            Optional<Request> taken = parked.take(LEASE);
            taken.ifPresent(request -> carryOut(request, guard));
            return taken.isPresent();
        } catch (UnavailableException | StoreException.RowLocked e) {
            log.debug("requests have to wait for the database: {}", Words.describe(e));
            return false;
        }
    }

    /** Says that no more will be carried out here. */
    public void leave() {
        try {
            parked.leave();
        } catch (UnavailableException e) {
            log.debug("leaving: {}", Words.describe(e)); // it will be seen as gone a little later
        }
    }

    private void carryOut(Request request, FoldGuard guard) {
        Progress progress = new Progress(request, guard, parked.incarnation());
        if (request.brokenOff() >= MOST_BROKEN_OFF && !progress.isRepaired()) {
            progress.end(
                    "given up: "
                            + request.brokenOff()
                            + " processes have ended, or were not heard of again, while they"
                            + " carried it out; mend the handler, or drop the message, and ask"
                            + " again");
        }
        while (!progress.isAtItsEnd()) {
            try {
                if (!step(progress)) {
                    return; // somebody else has gone on with it
                }
            } catch (StoreException.RowFault e) {
                progress.end(
                        (progress.hasDoneSomething() ? progress.said() + "; then " : "")
                                + "the row can't be stored: "
                                + e.getMessage());
            }
        }
        parked.answer(request, progress.answer(), progress.life());
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
        Optional<Request> now = parked.renew(progress.request(), LEASE);
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
            case QUARANTINE -> repair.quarantine(progress, row);
            case REDRIVE, SKIP, DROP -> redrive.step(progress, row);
        }
        return true;
    }
}
