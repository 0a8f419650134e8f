package dev.envelope.idempotency;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Stage;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.turn.Disposition;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.crash.CrashBook;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.TurnQuota;
import dev.envelope.idempotency.fold.Work;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.redrive.ReplacedValues;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.parked.Replacement;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.save.Fate;
import dev.envelope.idempotency.store.save.GroupSave;
import dev.envelope.idempotency.timer.SavedEffects;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Applies each message's effect once: loads the snapshots of the turn's keys, skips messages that
 * their rows already record, folds the rest, and saves all keys of the turn in one transaction.
 *
 * <p>No key is locked, and no other writer is looked for. A save is conditional on the version that
 * it started from. The process that loses loads the row again and finds the messages below its
 * marks.
 *
 * <p>Threads: thread-safe; a key belongs to the turn that has its envelope.
 *
 * @param <S> the state of a key
 */
public final class IdempotentHandler<S> implements EnvelopeHandler {

    private final EnvelopeFold<S, ?> fold;
    private final Snapshots<S> snapshots;
    private final GroupSave saves;
    private final Telemetry telemetry;
    private final SavedBooks books;
    private final OutboxRoom room;
    private final OutputRoom outputs;
    private final CrashBook crashes;
    private final ReplacedValues replaced;
    private final SetAsideLimits limits;
    private final LockedRows locked;
    private final Admission admission;

    /** A handler without limits on dead letters and parked messages. */
    public IdempotentHandler(
            EnvelopeFold<S, ?> fold, StateStore store, long cacheMaxBytes, Telemetry telemetry) {
        this(fold, store, new SnapshotCache<>(cacheMaxBytes), telemetry, Bounds.NONE, null);
    }

    /**
     * What may keep a message from being folded and saved as usual.
     *
     * @param room the room in the outbox: while it is full, messages that would become dead letters
     *     wait; no effect where the fold parks messages that are given up
     * @param crashes counts the messages that have killed a process
     * @param limits how much may be set aside
     * @param effects is told of what handlers have emitted and set; while its room for outputs is
     *     full, keys wait, if the handler emits
     * @param replacements values that operators have put in place of those of messages
     * @param admission why an envelope has to wait before anything of it is saved, or null
     */
    public record Bounds(
            OutboxRoom room,
            CrashStore crashes,
            SetAsideLimits limits,
            SavedEffects effects,
            Supplier<List<Replacement>> replacements,
            Function<Envelope, @Nullable Outcome> admission) {
        public static final Bounds NONE = of(OutboxRoom.endless());

        /** Without timers, replaced values and a limit on outputs. */
        public Bounds(OutboxRoom room, CrashStore crashes, SetAsideLimits limits) {
            this(room, crashes, limits, SavedEffects.NONE, List::of, envelope -> null);
        }

        /** Only the outbox is limited. */
        public static Bounds of(OutboxRoom room) {
            return new Bounds(room, CrashStore.NONE, SetAsideLimits.none());
        }
    }

    /**
     * A handler with limits.
     *
     * @param cache a cache for this handler alone; a store that purges rows needs one whose entries
     *     expire
     * @param waiter runs the save that waits for a locked row, on a thread of its own; null if such
     *     rows are only tried again
     */
    public IdempotentHandler(
            EnvelopeFold<S, ?> fold,
            StateStore store,
            SnapshotCache<S> cache,
            Telemetry telemetry,
            Bounds bounds,
            @Nullable Executor waiter) {
        this.fold = fold;
        this.snapshots = new Snapshots<>(store, cache, telemetry);
        this.saves = new GroupSave(store);
        this.telemetry = telemetry;
        this.books = new SavedBooks(telemetry, bounds.room(), bounds.effects(), bounds.limits());
        this.room = bounds.room();
        this.outputs = bounds.effects().outputs();
        this.crashes = new CrashBook(bounds.crashes());
        this.replaced = new ReplacedValues(bounds.replacements());
        this.limits = bounds.limits();
        this.locked = new LockedRows(waiter);
        this.admission = new Admission(bounds.admission());
    }

    /** Load → dedupe → fold → save, until every envelope is settled. */
    @Override
    public void handle(Turn turn) {
        TurnWorks<S> works = TurnWorks.of(turn.envelopes());
        Incarnation life = works.youngest().incarnation();
        List<Work<S>> open = begin(works.all(), turn, life);
        TurnQuota quota = fold.quota(turn::isTimeUp);
        try {
            crashes.open(works.youngest().number());
            replaced.open(works.youngest().number());
            open.forEach(replaced::putInto);
            while (!open.isEmpty()) {
                turn.begins(Stage.LOAD);
                snapshots.load(open, life, turn);
                turn.begins(Stage.FOLD);
                List<Work<S>> folded = fold(open, turn, quota); // leaves out duplicates
                turn.begins(Stage.SAVE);
                open = save(folded, turn, life);
            } // what is still open starts over; mostly its row has changed since
        } catch (TurnTaken e) {
            return; // a fold outlasted the turn, which belongs to another worker now
        } catch (UnavailableException e) { // from a read: nothing of this round is settled yet
            for (Work<S> work : open) {
                turn.settle(work.place(), admission.unavailable(work.envelope(), e));
            }
        }
    }

    @Override
    public boolean hasRoom() {
        return outputs.isOpen() || !fold.emits();
    }

    /** The snapshot cache. */
    public SnapshotCache<S> cache() {
        return snapshots.cache();
    }

    private List<Work<S>> begin(List<Work<S>> works, Turn turn, Incarnation life) {
        List<Work<S>> open = new ArrayList<>(works.size());
        for (Work<S> work : works) {
            int place = work.place();
            if (!work.epoch().incarnation().equals(life) || work.mixesLives()) {
                // Of an earlier incarnation of the database; it will be read again.
                turn.settle(place, Outcome.Superseded.SUPERSEDED);
            } else if (work.isSavedElsewhere()) {
                turn.settle(place, work.outcome());
            } else if (!hasRoom()) {
                turn.settle(place, Outcome.Crowded.CROWDED);
            } else if (!room.isOpen() && fold.putsOut(work.envelope())) {
                turn.settle(place, Outcome.Waiting.on(Doing.NO_ROOM));
            } else {
                @Nullable Outcome held = admission.holds(work.envelope());
                if (held == null) {
                    open.add(work);
                } else {
                    turn.settle(place, held);
                }
            }
        }
        return open;
    }

    /** Dedupes and folds until the turn's time or quota is used up; the rest comes again. */
    private List<Work<S>> fold(List<Work<S>> open, Turn turn, TurnQuota quota) throws TurnTaken {
        List<Work<S>> folded = new ArrayList<>(open.size());
        ReadAhead ahead = new ReadAhead(open);
        for (Work<S> work : open) {
            ahead.next();
            if (work.isFolded()) {
                folded.add(work); // the result of a fold that was left behind
            } else if (quota.isUsedUp() || !turn.enter(work.place())) {
                turn.settle(work.place(), Outcome.Deferred.NOT_BEGUN);
            } else {
                @Nullable Outcome held = crashes.admit(work); // what is admitted is folded at once
                if (held == null) {
                    fold.fold(work, quota, turn.guard());
                    var unused = Thread.interrupted(); // a codec may have left one
                    crashes.survived(work);
                }
                if (!turn.leave(work.place(), held == null ? work : null)) {
                    throw new TurnTaken();
                } else if (held == null) {
                    folded.add(work);
                } else {
                    turn.settle(work.place(), held);
                }
            }
        }
        return folded;
    }

    /** Saves the changes together and settles them; returns the works that have to start over. */
    private List<Work<S>> save(List<Work<S>> folded, Turn turn, Incarnation life) {
        List<Work<S>> again = new ArrayList<>(0);
        List<Work<S>> alone = new ArrayList<>(0);
        List<Work<S>> together = new ArrayList<>(folded.size());
        List<Change> changes = new ArrayList<>(folded.size());
        for (Work<S> work : folded) {
            Change change = work.change();
            if (work.hasFailedUnconfirmed()) {
                snapshots.forget(work.key());
                work.startOver(); // an attempt counts only on a confirmed state
                again.add(work);
            } else if (change == null) {
                snapshots.unchanged(work);
                telemetry.duplicates(work.done().count(Disposition.DUPLICATE));
                turn.settle(work.place(), work.outcome());
            } else if (mayBeSaved(work, change, again, turn)) {
                if (work.meetsLock()) {
                    alone.add(work);
                } else {
                    together.add(work);
                    changes.add(change);
                }
            }
        }
        settle(together, changes, saves.save(changes, life), again, turn);
        saveLocked(alone, again, turn, life);
        return again;
    }

    /**
     * Checks the limits on what a change sets aside. Beyond them, the work is folded again up to
     * the first message that would be set aside.
     *
     * @return whether it may be saved as it is; otherwise it has been settled, or starts over
     */
    private boolean mayBeSaved(Work<S> work, Change change, List<Work<S>> again, Turn turn) {
        @Nullable RuntimeException refusal = limits.refusal(work, change);
        if (refusal == null) {
            return true;
        }
        if (refusal instanceof UnavailableException) { // how much is set aside can't be read now
            snapshots.forget(work.key());
            turn.settle(work.place(), admission.unavailable(work.envelope(), refusal));
            return false;
        } else if (!work.isConfirmed()) {
            snapshots.forget(work.key());
            work.startOver(); // the cached row may count parked messages that were redriven since
        } else {
            boolean beginsWithIt = change.parked().isEmpty() || change.isWithoutRow();
            work.fail(
                    beginsWithIt
                            ? 0
                            : work.envelope().messages().indexOf(change.parked().get(0).message()),
                    refusal,
                    false);
        }
        again.add(work);
        return false;
    }

    /**
     * Locked rows: the first is waited for on another thread, the others are tried without waiting.
     */
    private void saveLocked(List<Work<S>> alone, List<Work<S>> again, Turn turn, Incarnation life) {
        List<Work<S>> tried = new ArrayList<>(alone.size());
        List<Change> changes = new ArrayList<>(alone.size());
        for (Work<S> work : alone) {
            Change change = Objects.requireNonNull(work.change());
            if (locked.isNext(work.key())) {
                Consumer<@Nullable Object> key = turn.handOver(work.place());
                locked.await(work.key(), () -> saveWaiting(work, change, life, key));
            } else {
                tried.add(work);
                changes.add(change);
            }
        }
        settle(tried, changes, saves.saveAroundLocks(changes, life), again, turn);
    }

    /** Waits for the row's lock, on the waiter's thread. */
    private void saveWaiting(
            Work<S> work, Change change, Incarnation life, Consumer<@Nullable Object> key) {
        @Nullable Fate fate = null;
        try {
            fate = work.isLive() ? saves.saveAlone(change, life) : null;
            if (fate == Fate.Saved.SAVED) {
                saved(work, change);
                work.savedElsewhere();
            } else {
                snapshots.forget(work.key());
                locked.notSaved(work.key(), fate);
            }
        } finally {
            key.accept(fate == Fate.Saved.SAVED ? work : null);
        }
    }

    private void settle(
            List<Work<S>> works,
            List<Change> changes,
            List<Fate> fates,
            List<Work<S>> again,
            Turn turn) {
        for (int i = 0; i < fates.size(); i++) {
            if (!settle(works.get(i), changes.get(i), fates.get(i), turn)) {
                again.add(works.get(i));
            }
        }
    }

    /**
     * Settles a work as its save turned out.
     *
     * @return false if it has to start over in this turn
     */
    private boolean settle(Work<S> work, Change change, Fate fate, Turn turn) {
        if (fate != Fate.Saved.SAVED) {
            return settleUnsaved(work, fate, turn);
        }
        if (work.isGuessed()) {
            snapshots.guessed(false);
        }
        if (work.meetsLock()) {
            locked.free(work.key());
        }
        saved(work, change);
        turn.settle(work.place(), work.outcome());
        return true;
    }

    private boolean settleUnsaved(Work<S> work, Fate fate, Turn turn) {
        snapshots.forget(work.key());
        if (fate instanceof Fate.Locked) {
            locked.met(work.key());
            turn.settle(work.place(), Outcome.Waiting.on(Doing.LOCKED));
            return true;
        } else if (fate instanceof Fate.Unknown unknown) {
            turn.settle(work.place(), admission.unavailable(work.envelope(), unknown.cause()));
            return true;
        } else if (fate instanceof Fate.Faulty faulty) {
            if (!work.halve(work.done().size())) {
                work.fail(0, faulty.cause(), false);
            }
            return false;
        }
        if (work.isGuessed()) {
            snapshots.guessed(true);
        } else {
            telemetry.conflicts(1);
        }
        work.startOver();
        return false;
    }

    private void saved(Work<S> work, Change change) {
        snapshots.saved(work, change);
        books.saved(work, change);
        crashes.saved(work);
    }

    @Override
    public void dying(List<Message> underWay) {
        crashes.dying(underWay);
    }
}
