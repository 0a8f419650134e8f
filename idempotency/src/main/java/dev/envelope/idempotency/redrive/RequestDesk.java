package dev.envelope.idempotency.redrive;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.FoldGuard;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Outcome;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.Work;
import dev.envelope.idempotency.store.Change;
import dev.envelope.idempotency.store.ParkedStore;
import dev.envelope.idempotency.store.ParkedStore.Action;
import dev.envelope.idempotency.store.ParkedStore.Parked;
import dev.envelope.idempotency.store.ParkedStore.Request;
import dev.envelope.idempotency.store.Snapshot;
import dev.envelope.idempotency.store.StateStore;
import dev.envelope.idempotency.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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
    private static final int AT_ONCE = 500;

    /** How many processes may end, or stand still, while they carry a request out. */
    private static final int MOST_BROKEN_OFF = 3;

    private final EnvelopeFold<S, ?> fold;
    private final StateStore states;
    private final ParkedStore parked;

    public RequestDesk(EnvelopeFold<S, ?> fold, StateStore states, ParkedStore parked) {
        this.fold = fold;
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
        Progress progress = new Progress(request, guard);
        if (request.brokenOff() >= MOST_BROKEN_OFF) {
            progress.end(
                    "given up: "
                            + request.brokenOff()
                            + " processes have ended, or were not heard of again, while they"
                            + " carried it out; mend the handler, or drop the message, and ask"
                            + " again");
        }
        while (progress.answer.isEmpty()) {
            try {
                if (!step(progress)) {
                    return; // somebody else has gone on with it
                }
            } catch (StoreException.RowFault e) {
                progress.end(
                        (progress.hasDoneSomething ? said(progress) + "; then " : "")
                                + "the row can't be stored: "
                                + e.getMessage());
            }
        }
        parked.answer(request, progress.answer);
        log.info(
                "request {}: {} of key {}: {}",
                request.number(),
                request.action(),
                Words.quote(request.key()),
                progress.answer);
    }

    /** What has been done so far; the answer is empty as long as there is more to do. */
    private static final class Progress {

        private final Request request;
        private final FoldGuard guard;
        private boolean isRepaired;
        private boolean hasSkipped;
        private boolean hasDoneSomething;
        private int done;
        private String answer = "";

        Progress(Request request, FoldGuard guard) {
            this.request = request;
            this.guard = guard;
            this.hasSkipped = request.action() != Action.SKIP;
        }

        void done(int messages) {
            done += messages;
            hasDoneSomething |= messages > 0;
        }

        void end(String words) {
            answer = words;
        }
    }

    /**
     * One save, or the finding that there is nothing more to save.
     *
     * @return false if the request is not ours any more
     */
    private boolean step(Progress progress) {
        Request request = progress.request;
        Incarnation life = parked.incarnation();
        Snapshot row =
                states.load(List.of(request.key()), life)
                        .getOrDefault(request.key(), Snapshot.absent(request.key()));
        if (!parked.renew(request, LEASE)) {
            return false;
        }
        switch (request.action()) {
            case SET -> set(progress, row, life);
            case DELETE -> delete(progress, row, life);
            case QUARANTINE -> quarantine(progress, row, life);
            case REDRIVE, SKIP, DROP -> takeOut(progress, row, life);
        }
        return true;
    }

    /** One step with the parked messages of a key. */
    private void takeOut(Progress progress, Snapshot row, Incarnation life) {
        List<Parked> first = parked.first(row.key(), AT_ONCE);
        if (first.isEmpty() && !progress.hasSkipped) {
            progress.end("nothing is parked");
        } else if (first.isEmpty() && row.parked() > 0) {
            free(progress, row, life);
        } else if (first.isEmpty()) {
            progress.end(progress.hasDoneSomething ? said(progress) : "nothing is parked");
        } else if (!progress.hasSkipped) {
            skip(progress, row, first, life);
        } else if (progress.request.action() == Action.DROP) {
            drop(progress, row, first, life);
        } else {
            redrive(progress, row, first, life);
        }
    }

    private void set(Progress progress, Snapshot row, Incarnation life) {
        Long version = progress.request.version();
        if (version == null) {
            progress.end(said(progress)); // by whoever had the request before, or just now
            return;
        }
        try {
            String json = Objects.requireNonNull(progress.request.state());
            byte[] state = fold.canonical(json.getBytes(StandardCharsets.UTF_8));
            repair(progress, row, version, state, row.ids(), life);
        } catch (MalformedException e) {
            progress.end("refused: the handler can't read that state: " + e.getMessage());
        }
    }

    /** The state first; then the messages that were parked when it was asked for. */
    private void delete(Progress progress, Snapshot row, Incarnation life) {
        Long version = progress.request.version();
        if (version != null && !progress.isRepaired) {
            long wanted = version == Request.ANY_VERSION ? row.version() : version;
            repair(progress, row, wanted, null, null, life);
            return;
        }
        Long last = progress.request.position();
        List<Parked> first =
                parked.first(row.key(), AT_ONCE).stream()
                        .filter(it -> last != null && it.position() <= last)
                        .toList();
        if (first.isEmpty()) {
            progress.end(said(progress));
        } else {
            drop(progress, row, first, life);
        }
    }

    /**
     * Saves what the row is to be, if it is still as whoever asked has seen it: so what came in
     * since is not overwritten. That it is done is saved with it: so it is done once, whatever
     * becomes of the answer.
     */
    private void repair(
            Progress progress,
            Snapshot row,
            long version,
            byte @Nullable [] state,
            byte @Nullable [] ids,
            Incarnation life) {
        Snapshot next = new Snapshot(row.key(), version + 1, state, row.marks(), ids, row.parked());
        if (row.version() != version) {
            progress.end(
                    "not done: the row is at version %d, and was at %d; look again (envelope pause --key"
                                    .formatted(row.version(), version)
                            + " holds a busy key back)");
        } else if (parked.repair(progress.request, next, life)) {
            progress.isRepaired = true;
            if (progress.request.action() == Action.SET) {
                progress.end(said(progress));
            }
        } // else the row has moved on: look again
    }

    /**
     * Has the row count one parked message that is not there: as long as it counts any, what comes
     * is parked behind; and a redrive frees it when it has found nothing more.
     */
    private void quarantine(Progress progress, Snapshot row, Incarnation life) {
        if (row.isAbsent()) {
            progress.end("not done: the key has no row");
        } else if (row.parked() > 0) {
            progress.end("what comes of it is parked, behind " + row.parked());
        } else {
            Snapshot next =
                    new Snapshot(
                            row.key(), row.version() + 1, row.state(), row.marks(), row.ids(), 1);
            if (parked.save(next, List.of(), life)) {
                progress.end("what comes of it is parked from now on");
            } // else the row has moved on: look again
        }
    }

    /** Somebody has deleted messages by hand: the row counts some that are not there. */
    private void free(Progress progress, Snapshot row, Incarnation life) {
        if (parked.save(row.unparked(row.parked()), List.of(), life)) {
            progress.hasDoneSomething = true;
        }
    }

    private void skip(Progress progress, Snapshot row, List<Parked> first, Incarnation life) {
        Long position = progress.request.position();
        if (first.get(0).position() != (position == null ? -1 : position)) {
            progress.end("the message is not the key's first any more: look again");
        } else if (parked.save(row.unparked(1), List.of(position), life)) {
            progress.hasSkipped = true;
            progress.hasDoneSomething = true;
        }
    }

    private void drop(Progress progress, Snapshot row, List<Parked> first, Incarnation life) {
        if (parked.save(row.unparked(first.size()), positions(first), life)) {
            progress.done(first.size());
        }
    }

    private void redrive(Progress progress, Snapshot row, List<Parked> first, Incarnation life) {
        Work<S> work =
                Work.ofParked(Envelope.of(row.key(), first.stream().map(Parked::message).toList()));
        work.startFromLoaded(row);
        fold.fold(work, () -> false, progress.guard);
        Change change = work.change();
        List<Parked> folded = first.subList(0, work.folded());
        if (change != null && !parked.save(change.asSaved(), positions(folded), life)) {
            return; // the row has moved on: look again
        }
        progress.done(folded.size());
        Outcome outcome = work.outcome();
        if (outcome instanceof Outcome.Failed failed) {
            progress.end(
                    "%s; then %s failed again: %s"
                            .formatted(
                                    said(progress),
                                    first.get(folded.size()).message(),
                                    Words.describe(failed.cause())));
        } else if (outcome instanceof Outcome.Unavailable unavailable) {
            throw new UnavailableException(
                    "a message can't be folded now: " + Words.describe(unavailable.cause()),
                    unavailable.cause());
        }
    }

    private static String said(Progress progress) {
        return switch (progress.request.action()) {
            case SKIP -> "skipped 1, redrove " + progress.done;
            case REDRIVE -> "redrove " + progress.done;
            case DROP -> "dropped " + progress.done;
            case DELETE -> "deleted, with " + progress.done + " parked messages";
            case SET -> "set";
            case QUARANTINE -> "quarantined";
        };
    }

    private static List<Long> positions(List<Parked> messages) {
        return messages.stream().map(Parked::position).toList();
    }
}
