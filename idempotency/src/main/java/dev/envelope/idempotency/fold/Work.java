package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.SavedBeside;
import dev.envelope.idempotency.store.row.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One envelope in a turn: the snapshot that it starts from, and what folding has made so far.
 *
 * <p>Threads: actor, one at a time (the worker of the turn or, when a fold was left behind, the
 * worker inside it).
 *
 * @param <S> the state of a key
 */
public final class Work<S> {

    /** Where its snapshot comes from. */
    private enum Basis {
        /** No snapshot yet. */
        NOT_LOOKED,
        /**
         * The snapshot was dropped because the row was different. No second guess; it is loaded.
         */
        TO_LOAD,
        /** What this process saved last; another process may have changed the row since. */
        CACHED,
        /** Guessed that there is no row. */
        GUESSED,
        /** The row, loaded in this turn or, if carried, in the turn that began its fold. */
        LOADED,
        /** Not needed any more: what was folded is saved. */
        SAVED_ELSEWHERE
    }

    /** A message that could not be folded, and why. */
    private record Failure(int at, Throwable cause, boolean retryable) {}

    /**
     * Where the fold ends, if that is before the last message.
     *
     * @param at the first message that is left for another turn
     * @param failure of that message or a later one; null if none has failed
     */
    private record End(int at, @Nullable Failure failure) {
        static final End NONE = new End(Integer.MAX_VALUE, null);
    }

    /** What it starts from; {@code beside} is null if it was not read since the snapshot was. */
    private record Start(Basis basis, @Nullable Snapshot snapshot, @Nullable SavedBeside beside) {}

    /**
     * The result of the fold.
     *
     * @param change what is to be saved; null if every message was a duplicate
     * @param done what becomes of the messages that the change accounts for
     */
    private record Folded(@Nullable Change change, Dispositions done) {}

    private final int place;
    private final boolean isParked;
    private final PartitionEpoch epoch;
    private final boolean isOfOneEpoch;
    private Envelope envelope;
    private Start start = new Start(Basis.NOT_LOOKED, null, null);
    private @Nullable S state; // the live object of the snapshot, if there is one
    private End end = End.NONE;
    private @Nullable Folded folded;

    private Work(int place, Envelope envelope, boolean isParked) {
        this.place = place;
        this.isParked = isParked;
        this.envelope = envelope;
        PartitionEpoch first = envelope.first().epoch();
        PartitionEpoch youngest = first;
        boolean isOne = true;
        for (Message message : envelope.messages()) {
            if (message.epoch() != first) {
                isOne = false;
                boolean isYounger = message.epoch().number() > youngest.number();
                youngest = isYounger ? message.epoch() : youngest;
            }
        }
        this.epoch = youngest;
        this.isOfOneEpoch = isOne;
    }

    /**
     * The work of an envelope. If the envelope carries the work of a fold that was left behind, its
     * results are taken over.
     *
     * @param place the envelope's place in its turn
     */
    @SuppressWarnings("unchecked")
    public static <S> Work<S> of(int place, Envelope envelope) {
        Work<S> work = new Work<>(place, envelope, false);
        if (envelope.carried() instanceof Work<?> carried) {
            work.takeOver((Work<S>) carried);
        }
        return work;
    }

    /**
     * The work of folding parked messages. Their key's marks are past them already, so each is
     * taken as new, and the marks stay as they are.
     */
    public static <S> Work<S> ofParked(Envelope envelope) {
        return new Work<>(0, envelope, true);
    }

    private void takeOver(Work<S> carried) {
        start = carried.start;
        state = carried.state;
        end = carried.end;
        folded = carried.folded;
    }

    /** The youngest epoch of its messages. */
    public PartitionEpoch epoch() {
        return epoch;
    }

    public int place() {
        return place;
    }

    public Envelope envelope() {
        return envelope;
    }

    /** Replaces its messages, some of which have another value now. */
    public void read(List<Message> messages) {
        envelope = envelope.with(messages);
    }

    public String key() {
        return envelope.key();
    }

    public boolean needsSnapshot() {
        return start.snapshot() == null && !envelope.isWithoutRow();
    }

    public Snapshot snapshot() {
        return start.snapshot() == null ? Snapshot.absent(key()) : start.snapshot();
    }

    /**
     * Starts from the row that was just loaded. If the row has no mark for a source, it may have
     * replaced a purged row: then the mark up to which that source's rows were purged counts for
     * it, too.
     *
     * @return a message that was applied to a purged row; null in the usual case
     */
    public @Nullable Message startFromLoaded(Snapshot from) {
        Marks purged = purgedOfOwnSources(from);
        Marks[] marks = {from.marks()};
        purged.forEach((source, next) -> marks[0] = marks[0].advance(source, next));
        start(Basis.LOADED, from.marked(marks[0]), null);
        return purged.size() == 0 ? null : purged.firstBelow(envelope.messages());
    }

    /**
     * The purge marks of those sources that this envelope has messages of and the row has no mark
     * of.
     */
    private Marks purgedOfOwnSources(Snapshot from) {
        return from.purged()
                .of(
                        source ->
                                !from.marks().has(source)
                                        && envelope.messages().stream()
                                                .anyMatch(it -> it.epoch().source() == source));
    }

    /** Starts from what this process saved last; another process may have changed the row since. */
    public void startFromCached(Snapshot from, @Nullable S live) {
        start(Basis.CACHED, from, live);
    }

    /**
     * Starts from an absent row without a load. Only once: after a wrong guess the row is loaded.
     */
    public void guessThatItIsNew() {
        start(Basis.GUESSED, Snapshot.absent(key()), null);
    }

    private void start(Basis worth, @Nullable Snapshot from, @Nullable S live) {
        start = new Start(worth, from, null);
        state = live;
        folded = null;
    }

    /** Whether it depends on what is saved beside its row, and that was not read yet. */
    public boolean needsBeside() {
        return start.beside() == null
                && !envelope.isWithoutRow()
                && SavedBeside.isNeededFor(envelope.messages(), isParked || isGuessed());
    }

    /** Sets what was read, by key, after the snapshot. */
    public void have(Map<String, SavedBeside> read) {
        SavedBeside beside = Objects.requireNonNull(read.get(key()));
        start = new Start(start.basis(), start.snapshot(), beside);
    }

    SavedBeside beside() {
        return Objects.requireNonNull(start.beside(), "timers and answers were not read");
    }

    /** Whether a row of a table is still to be done. */
    boolean isWaiting(String rowId) {
        return isGuessed() || beside().waiting().contains(rowId);
    }

    /** Whether another session held the row's lock at the last try. */
    public boolean meetsLock() {
        return envelope.waited() == Doing.LOCKED;
    }

    /** Whether this process still has the partitions of all its messages. */
    public boolean isLive() {
        return envelope.messages().stream().allMatch(message -> message.epoch().isLive());
    }

    /** It was saved by the thread that waited for the row's lock: it only has to be settled. */
    public void savedElsewhere() {
        start = new Start(Basis.SAVED_ELSEWHERE, start.snapshot(), null);
    }

    public boolean isSavedElsewhere() {
        return start.basis() == Basis.SAVED_ELSEWHERE;
    }

    /**
     * Whether it may be guessed that there is no row. Not if messages are read again: without a row
     * they may belong to a purged key. Nor after a lock was met, since then there may be a row.
     */
    public boolean mayGuess() {
        return start.basis() == Basis.NOT_LOOKED
                && !meetsLock()
                && knowsWhatIsReadAgain(Marks.NONE);
    }

    /**
     * Whether the cached snapshot may be used. Not if it has no mark for a source that is read
     * again, for the same reason.
     */
    public boolean mayStartFromCached(Snapshot from) {
        return knowsWhatIsReadAgain(from.marks());
    }

    private boolean knowsWhatIsReadAgain(Marks marks) {
        for (Message message : envelope.messages()) {
            PartitionEpoch of = message.epoch();
            if (of.mayReadAgain(message.offset()) && !marks.has(of.source())) {
                return false;
            }
        }
        return true;
    }

    /** The row differs from the snapshot: it is to be loaded and folded again. */
    public void startOver() {
        end = End.NONE;
        start(Basis.TO_LOAD, null, null);
    }

    /** Whether it has messages of an earlier incarnation of the database than its youngest. */
    public boolean mixesLives() {
        if (isOfOneEpoch) {
            return false;
        }
        for (Message message : envelope.messages()) {
            if (message.epoch() != epoch
                    && !message.epoch().incarnation().equals(epoch.incarnation())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a message has failed on an unconfirmed state: on a guess, or on a cached one that no
     * save of the messages before it will confirm. Such a failure does not count.
     */
    public boolean hasFailedUnconfirmed() {
        Failure failure = end.failure();
        return failure != null
                && !(failure.cause() instanceof UnavailableException)
                && (isGuessed() || (!isConfirmed() && change() == null));
    }

    /** Whether it starts from a loaded row, not from a guess or a cached one. */
    public boolean isConfirmed() {
        return start.basis() == Basis.LOADED || envelope.isWithoutRow();
    }

    public boolean isGuessed() {
        return start.basis() == Basis.GUESSED;
    }

    public boolean isFolded() {
        return folded != null;
    }

    boolean isParked() {
        return isParked;
    }

    /** What is to be saved; null if every message was a duplicate. */
    public @Nullable Change change() {
        Folded made = folded;
        return made == null ? null : made.change();
    }

    /** What becomes of its first messages when the change is saved. */
    public Dispositions done() {
        Folded made = folded;
        return made == null ? Dispositions.NONE : made.done();
    }

    /** Hands out the live state, once, since a fold may change it halfway and fail. */
    @Nullable S takeState() {
        S taken = state;
        state = null;
        return taken;
    }

    /** The live state after the fold; null after a deletion, or where nothing was folded. */
    public @Nullable S state() {
        return state;
    }

    void folded(@Nullable Change made, @Nullable S after, Dispositions done) {
        folded = new Folded(made, done);
        state = after;
    }

    /** Leaves the messages from this index on for another turn; an earlier limit stays. */
    public void limitTo(int messages) {
        end = new End(Math.min(end.at(), messages), end.failure());
    }

    /** The index from which on messages are left for another turn. */
    int limit() {
        return Math.min(end.at(), envelope.size());
    }

    /**
     * The result of the first messages can't be stored, and one of them is at fault: fold half of
     * them.
     *
     * @return false if there was only one
     */
    public boolean halve(int messages) {
        if (messages <= 1) {
            return false;
        }
        foldAgainTo(new End(messages / 2, null));
        return true;
    }

    /** A message can't be folded: fold those before it again, from the saved bytes. */
    public void fail(int at, Throwable cause, boolean retryable) {
        foldAgainTo(new End(at, new Failure(at, cause, retryable)));
    }

    private void foldAgainTo(End next) {
        end = next;
        state = null;
        folded = null;
    }

    /** The outcome of the envelope once its change is saved, or if there is none. */
    public Outcome outcome() {
        Dispositions done = done();
        Failure failed = end.failure();
        if (failed != null && failed.at() == done.size()) {
            @Nullable Doing why = MessageFailed.waitsFor(failed.cause());
            if (why != null) { // says nothing about the message (I11)
                return new Outcome.Waiting(done, why, failed.cause());
            }
            return new Outcome.Failed(done, failed.cause(), failed.retryable());
        }
        return done.size() == envelope.size() ? Outcome.Saved.of(done) : new Outcome.Deferred(done);
    }
}
