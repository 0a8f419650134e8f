package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.decode.DecoderOutException;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One envelope on its way through a turn: the snapshot that it starts from, and what folding it has
 * made so far.
 *
 * <p>Threads: actor, one at a time (whoever has the turn or, when a fold was left behind, the
 * worker inside it).
 *
 * @param <S> the state of a key
 */
public final class Work<S> {

    /** What its snapshot is worth. */
    private enum Basis {
        /** There is none yet. */
        NOT_LOOKED,
        /** There is none any more: it was not what the row says. It is not guessed again. */
        TO_LOAD,
        /** What this process saved last; somebody else may have moved the row on since. */
        CACHED,
        /** That there is no row, without a look. */
        GUESSED,
        /** The row, looked at in this turn or, if carried, in the turn that began its fold. */
        LOADED,
        /** It does not matter any more: what was folded is saved. */
        SAVED_ELSEWHERE
    }

    /** A message that could not be folded, and why. */
    private record Failure(int at, Throwable cause, boolean retryable) {}

    /**
     * Where the fold ends, if that is before the last message.
     *
     * @param at the first message that is left for another turn
     * @param failure of that message, or of a later one; null if none has failed
     */
    private record End(int at, @Nullable Failure failure) {
        static final End NONE = new End(Integer.MAX_VALUE, null);
    }

    /**
     * What the fold has made.
     *
     * @param change what is to be saved; null if every message was a duplicate
     * @param done what becomes of the messages that the change accounts for
     */
    private record Folded(@Nullable Change change, Dispositions done) {}

    private final int place;
    private final boolean isParked;
    private final PartitionEpoch epoch;
    private Envelope envelope;
    private Basis basis = Basis.NOT_LOOKED;
    private @Nullable Snapshot snapshot;
    private @Nullable S state; // the live object that belongs to the snapshot, if there is one
    private End end = End.NONE;
    private @Nullable Folded folded;

    private Work(int place, Envelope envelope, boolean isParked) {
        this.place = place;
        this.isParked = isParked;
        this.envelope = envelope;
        this.epoch = youngest(envelope);
    }

    /**
     * The work that an envelope makes; with all that was done, if a fold that was left behind has
     * brought it back.
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
     * The work of folding messages that are parked: their marks have passed them, so each is taken
     * for new, and the marks stay where they are.
     */
    public static <S> Work<S> ofParked(Envelope envelope) {
        return new Work<>(0, envelope, true);
    }

    /** The youngest epoch of an envelope's messages. */
    public static PartitionEpoch youngest(Envelope envelope) {
        PartitionEpoch youngest = envelope.first().epoch();
        for (Message message : envelope.messages()) {
            if (message.epoch().number() > youngest.number()) {
                youngest = message.epoch();
            }
        }
        return youngest;
    }

    private void takeOver(Work<S> carried) {
        basis = carried.basis;
        snapshot = carried.snapshot;
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

    /** These are its messages now: some have been given another value. */
    public void read(List<Message> messages) {
        envelope =
                new Envelope(
                        envelope.key(),
                        messages,
                        envelope.carried(),
                        envelope.waited(),
                        envelope.givenUp());
    }

    public String key() {
        return envelope.key();
    }

    public boolean needsSnapshot() {
        return snapshot == null && !envelope.isWithoutRow();
    }

    public Snapshot snapshot() {
        return snapshot == null ? Snapshot.absent(key()) : snapshot;
    }

    /**
     * Starts from what was just loaded. Of a source that the row does not know, it may be one that
     * the key got after another was purged: then how far that was counts for this one as well.
     *
     * @return a message that was applied to a row that is purged; null in the ordinary case
     */
    public @Nullable Message startFromLoaded(Snapshot from) {
        Marks purged = purgedOfOwnSources(from);
        Marks[] marks = {from.marks()};
        purged.forEach((source, next) -> marks[0] = marks[0].advance(source, next));
        start(Basis.LOADED, from.marked(marks[0]), null);
        return purged.size() == 0 ? null : firstBelow(purged);
    }

    /** How far rows were purged says something of all sources; the row keeps what concerns it. */
    private Marks purgedOfOwnSources(Snapshot from) {
        return from.purged()
                .of(
                        source ->
                                !from.marks().has(source)
                                        && envelope.messages().stream()
                                                .anyMatch(it -> it.epoch().source() == source));
    }

    private @Nullable Message firstBelow(Marks marks) {
        for (Message message : envelope.messages()) {
            if (message.offset() < marks.nextOffset(message.epoch().source())) {
                return message;
            }
        }
        return null;
    }

    /** Starts from what this process saved last; somebody else may have moved the row on since. */
    public void startFromCached(Snapshot from, @Nullable S live) {
        start(Basis.CACHED, from, live);
    }

    /** Starts from nothing, without having looked; once, for a wrong guess is not repeated. */
    public void guessThatItIsNew() {
        start(Basis.GUESSED, Snapshot.absent(key()), null);
    }

    private void start(Basis worth, @Nullable Snapshot from, @Nullable S live) {
        basis = worth;
        snapshot = from;
        state = live;
        folded = null;
    }

    /** Whether a session outside held its row's lock when it was tried last. */
    public boolean meetsLock() {
        return envelope.waited() == Doing.LOCKED;
    }

    /** Whether all its messages still are of partitions that this process has. */
    public boolean isLive() {
        return envelope.messages().stream().allMatch(message -> message.epoch().isLive());
    }

    /** It was saved while its row's lock was waited for: what is left is to say so. */
    public void savedElsewhere() {
        basis = Basis.SAVED_ELSEWHERE;
    }

    public boolean isSavedElsewhere() {
        return basis == Basis.SAVED_ELSEWHERE;
    }

    /**
     * Not where messages are read again: without a row they may be those of a purged key. Nor of a
     * row that could not be had: it may be there.
     */
    public boolean mayGuess() {
        return basis == Basis.NOT_LOOKED && !meetsLock() && knowsWhatIsReadAgain(Marks.NONE);
    }

    /** Not where the row does not know a source that is read again, for the same reason. */
    public boolean mayStartFromCached(Snapshot from) {
        return knowsWhatIsReadAgain(from.marks());
    }

    private boolean knowsWhatIsReadAgain(Marks marks) {
        for (Message message : envelope.messages()) {
            PartitionEpoch of = message.epoch();
            if (of.readsAgain(message.offset()) && !marks.has(of.source())) {
                return false;
            }
        }
        return true;
    }

    /** The row is not what the snapshot says: load it and begin anew. */
    public void startOver() {
        end = End.NONE;
        start(Basis.TO_LOAD, null, null);
    }

    /** Whether it has messages of an earlier life of the database than its youngest. */
    public boolean mixesLives() {
        for (Message message : envelope.messages()) {
            if (message.epoch() != epoch
                    && !message.epoch().incarnation().equals(epoch.incarnation())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a failed message has failed on a state that nobody has confirmed: on a guess, or on a
     * cached one that no save of the messages before it will confirm. Then it says nothing yet.
     */
    public boolean hasFailedUnconfirmed() {
        Failure failure = end.failure();
        return failure != null
                && !(failure.cause() instanceof UnavailableException)
                && (isGuessed() || (!isConfirmed() && change() == null));
    }

    /** Whether it starts from what was loaded, and not from a guess or a cached row. */
    public boolean isConfirmed() {
        return basis == Basis.LOADED || envelope.isWithoutRow();
    }

    public boolean isGuessed() {
        return basis == Basis.GUESSED;
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

    /** How many messages, from the first, are done when the change is saved. */
    public Dispositions done() {
        Folded made = folded;
        return made == null ? Dispositions.NONE : made.done();
    }

    /** Hands out the live state, once: whoever has it may change it halfway and fail. */
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

    /** Leaves the messages from here on for another turn; what is left for one already stays so. */
    public void limitTo(int messages) {
        end = new End(Math.min(end.at(), messages), end.failure());
    }

    /** Messages from here on are left for another turn. */
    int limit() {
        return Math.min(end.at(), envelope.size());
    }

    /**
     * What these first messages make can't be stored, and one of them is to blame: fold half of
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

    /** A message can't be folded: fold again, from the saved bytes, up to it. */
    public void fail(int at, Throwable cause, boolean retryable) {
        foldAgainTo(new End(at, new Failure(at, cause, retryable)));
    }

    private void foldAgainTo(End next) {
        end = next;
        state = null;
        folded = null;
    }

    /** What a message waits for that failed with this; null if the failure is its own. */
    static @Nullable Doing waitsFor(Throwable cause) {
        if (cause instanceof UnreadableStateException unreadable) {
            return unreadable.isDamaged() ? Doing.DAMAGED : Doing.OTHER_VERSION;
        } else if (cause instanceof DecoderOutException out && !out.isClear()) {
            return Doing.UNCLEAR;
        }
        return cause instanceof UnavailableException ? Doing.DECODER_OUT : null;
    }

    /** What to say of the envelope once the change is saved, or if there was none to save. */
    public Outcome outcome() {
        Dispositions done = done();
        Failure failed = end.failure();
        if (failed != null && failed.at() == done.size()) {
            @Nullable Doing why = waitsFor(failed.cause());
            if (why != null) { // says nothing about the message (I11)
                return new Outcome.Waiting(done, why, failed.cause());
            }
            return new Outcome.Failed(done, failed.cause(), failed.retryable());
        }
        return done.size() == envelope.size() ? Outcome.Saved.of(done) : new Outcome.Deferred(done);
    }
}
