package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Dispositions;
import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Outcome;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.decode.DecoderOutException;
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

    /** A message that could not be folded, and why. */
    record Failure(int at, Throwable cause, boolean retryable) {}

    private final int place;
    private Envelope envelope;
    private final boolean isParked;
    private final PartitionEpoch epoch;
    private @Nullable Snapshot snapshot;
    private boolean loaded; // in this or, when it was carried, in the turn that began its fold
    private boolean guessed;
    private boolean hasGuessed;
    private @Nullable S state; // the live object that belongs to the snapshot, if there is one
    private Marks purged =
            Marks.NONE; // of those sources of its messages that the row does not know
    private int limit;
    private @Nullable Failure failure;
    private @Nullable Change change;
    private Dispositions done = Dispositions.NONE; // of the messages that the change accounts for
    private boolean isFolded;
    private boolean isSavedElsewhere;

    private Work(int place, Envelope envelope, boolean isParked) {
        this.place = place;
        this.isParked = isParked;
        this.envelope = envelope;
        this.epoch = youngest(envelope);
        this.limit = envelope.size();
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
        snapshot = carried.snapshot;
        loaded = carried.loaded;
        guessed = carried.guessed;
        hasGuessed = carried.hasGuessed;
        state = carried.state;
        limit = carried.limit;
        failure = carried.failure;
        change = carried.change;
        done = carried.done;
        isFolded = carried.isFolded;
        isSavedElsewhere = carried.isSavedElsewhere;
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
     */
    public void startFromLoaded(Snapshot from) {
        Marks own = purgedOfOwnSources(from);
        Marks[] marks = {from.marks()};
        own.forEach((source, next) -> marks[0] = marks[0].advance(source, next));
        startFrom(from.marked(marks[0]), null);
        purged = own;
        loaded = true;
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

    /** Starts from what this process saved last; somebody else may have moved the row on since. */
    public void startFromCached(Snapshot from, @Nullable S live) {
        startFrom(from, live);
    }

    private void startFrom(Snapshot from, @Nullable S live) {
        snapshot = from;
        state = live;
        purged = Marks.NONE;
        loaded = false;
        guessed = false;
        forgetFold();
    }

    /** Starts from nothing, without having looked; once, for a wrong guess is not repeated. */
    public void guessThatItIsNew() {
        startFrom(Snapshot.absent(key()), null);
        guessed = true;
        hasGuessed = true;
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
        isSavedElsewhere = true;
    }

    public boolean isSavedElsewhere() {
        return isSavedElsewhere;
    }

    /**
     * Not where messages are read again: without a row they may be those of a purged key. Nor of a
     * row that could not be had: it may be there.
     */
    public boolean mayGuess() {
        return !hasGuessed && !meetsLock() && knowsWhatIsReadAgain(Marks.NONE);
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

    /** A message that was applied to a row that is purged; null in the ordinary case. */
    public @Nullable Message firstOfAPurgedKey() {
        if (purged.size() == 0) {
            return null;
        }
        for (Message message : envelope.messages()) {
            if (message.offset() < purged.nextOffset(message.epoch().source())) {
                return message;
            }
        }
        return null;
    }

    /** The row is not what the snapshot says: load it and begin anew. */
    public void startOver() {
        snapshot = null;
        state = null;
        loaded = false;
        guessed = false;
        hasGuessed = true; // it is known to be known, or not worth another guess
        limit = envelope.size();
        failure = null;
        forgetFold();
    }

    private void forgetFold() {
        change = null;
        done = Dispositions.NONE;
        isFolded = false;
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
        return failure != null
                && !(failure.cause() instanceof UnavailableException)
                && (guessed || (!isConfirmed() && change == null));
    }

    /** Whether it starts from what was loaded, and not from a guess or a cached row. */
    public boolean isConfirmed() {
        return loaded || envelope.isWithoutRow();
    }

    public boolean isGuessed() {
        return guessed;
    }

    public boolean isFolded() {
        return isFolded;
    }

    boolean isParked() {
        return isParked;
    }

    /** What is to be saved; null if every message was a duplicate. */
    public @Nullable Change change() {
        return change;
    }

    /** What becomes of the first messages when the change is saved. */
    public Dispositions done() {
        return done;
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

    void folded(@Nullable Change made, @Nullable S after, Dispositions became) {
        change = made;
        state = after;
        done = became;
        isFolded = true;
    }

    /** Leaves the messages from here on for another turn; what is left for one already stays so. */
    public void limitTo(int messages) {
        limit = Math.min(limit, messages);
    }

    /** Messages from here on are left for another turn. */
    int limit() {
        return limit;
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
        limit = messages / 2;
        failure = null;
        state = null;
        forgetFold();
        return true;
    }

    /** A message can't be folded: fold again, from the saved bytes, up to it. */
    public void fail(int at, Throwable cause, boolean retryable) {
        failure = new Failure(at, cause, retryable);
        limit = at;
        state = null;
        forgetFold();
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
        Failure failed = failure;
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
