package dev.envelope.core.mailbox;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A key that could not go on at once: its messages in order, and what it waits for. It exists only
 * as long as it holds messages.
 *
 * <p>Threads: actor, one at a time (the shard's runner); any thread may read its standing.
 */
final class KeyActor {

    /** What a key is doing. */
    private sealed interface State {}

    /**
     * May enter the next turn.
     *
     * @param carried the result of a fold that was left behind, or null
     * @param messages how many of the first messages that fold had
     */
    private record Ready(@Nullable Object carried, int messages) implements State {
        static final Ready ANEW = new Ready(null, 0);
    }

    /** Does not change until a notice is posted or the turn is booked. */
    private enum Still implements State {
        /** Its first messages are in the turn that is running. */
        IN_TURN,
        /** Its first message has failed for the last time. */
        STOPPED
    }

    /**
     * Waits until a time: after a failed attempt, for a row that is locked, or because it is held
     * back.
     *
     * @param goesOnByItself whether it goes on without another attempt, and without a person
     */
    record Waiting(KeyActor actor, long until, boolean goesOnByItself) implements State {}

    /**
     * A fold that was left behind still runs for its first messages.
     *
     * @param turn the number of the turn that has left it behind
     * @param messages all that it folds, including those of epochs that are over
     * @param isOfUse whether its messages are still the first of the key
     */
    private record Folding(long turn, List<Message> messages, boolean isOfUse) implements State {}

    /** The failed attempts of the first message; {@code givenUp} is set after the last one. */
    private record Failures(int attempts, @Nullable GivenUp givenUp) {
        static final Failures NONE = new Failures(0, null);
    }

    /** What it waits for outside, since when, and how often it was tried since then. */
    private record Wait(Doing what, long since, int times) {}

    private final String key;
    private final Tally tally;
    private final ArrayDeque<Message> messages = new ArrayDeque<>();
    private State state = Ready.ANEW;
    private Failures failures = Failures.NONE;
    private int lockedTimes; // in a row
    private @Nullable Wait wait;
    private volatile int held; // how many messages, for other threads
    private volatile @Nullable Note note; // null until something has kept it waiting

    /** Why it waits, as it was when the wait began. */
    private record Note(Doing doing, long since, int failedAttempts, @Nullable Throwable trouble) {

        Standing with(int messages) {
            String words = "";
            if (trouble instanceof UnavailableException) {
                words = Words.line(String.valueOf(trouble.getMessage()));
            } else if (trouble != null) {
                words = Words.describeInFull(trouble);
            }
            return new Standing(doing, since, messages, failedAttempts, words);
        }
    }

    /** Counts the actors that go on by themselves. */
    interface Tally {
        void count(int more);
    }

    KeyActor(String key, Tally tally) {
        this.key = key;
        this.tally = tally;
    }

    private void become(State next) {
        boolean before = goesOnByItself();
        state = next;
        boolean now = goesOnByItself();
        if (now != before) {
            tally.count(now ? 1 : -1);
        }
    }

    String key() {
        return key;
    }

    boolean isReady() {
        return state instanceof Ready;
    }

    /** Whether it still waits for that time. */
    boolean isWaiting(Waiting waiting) {
        return state == waiting;
    }

    int failedAttempts() {
        return failures.attempts();
    }

    int lockedTimes() {
        return lockedTimes;
    }

    /**
     * Whether it goes on without another attempt, and without a person: it waits for a fold, for a
     * lock, or because it is over its rate.
     */
    private boolean goesOnByItself() {
        return state instanceof Folding
                || (state instanceof Waiting waiting && waiting.goesOnByItself());
    }

    /** Whether it has the result of a fold that was left behind. */
    boolean isCarrying() {
        return state instanceof Ready ready && ready.carried() != null;
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    void add(Message message) {
        messages.addLast(message);
        held = messages.size();
    }

    void addAll(List<Message> later) {
        messages.addAll(later);
        held = messages.size();
    }

    /**
     * Records why it waits, for status reports.
     *
     * @param trouble what went wrong, or null
     */
    void stands(Doing doing, long now, @Nullable Throwable trouble) {
        note = new Note(doing, now, failures.attempts(), trouble);
    }

    /** Records that it waits for something outside; returns how often in a row. */
    int waitsFor(Doing what, long now, @Nullable Throwable trouble) {
        Wait before = wait;
        Wait next =
                before != null && before.what() == what
                        ? new Wait(what, before.since(), before.times() + 1)
                        : new Wait(what, now, 1);
        wait = next;
        note = new Note(what, next.since(), failures.attempts(), trouble);
        return next.times();
    }

    /** It was not tried at all, so nothing has changed about what else it waits for. */
    void hasNoRoom(long now) {
        Note before = note;
        if (before == null || before.doing() != Doing.NO_ROOM) {
            stands(Doing.NO_ROOM, now, null);
        }
    }

    /** Since when it waits for that. */
    long waitingSince() {
        return Objects.requireNonNull(wait).since();
    }

    /** Any thread: its standing; empty if it has not had to wait yet. */
    Optional<Standing> standing() {
        return Optional.ofNullable(note).map(it -> it.with(held));
    }

    /** The envelope of its first messages, within these limits. */
    Envelope enterTurn(int maxMessages, long maxBytes) {
        Ready ready = (Ready) state;
        boolean isCarrying = ready.carried() != null;
        int size = isCarrying ? ready.messages() : Math.min(maxMessages, messages.size());
        List<Message> first = new ArrayList<>(size);
        long bytes = 0;
        for (Message message : messages) {
            bytes += message.heldBytes();
            boolean fits = isCarrying || first.isEmpty() || bytes <= maxBytes;
            if (first.size() == size || !fits) {
                break;
            }
            first.add(message);
        }
        become(Still.IN_TURN);
        return new Envelope(key, first, ready.carried(), waited(), failures.givenUp());
    }

    private @Nullable Doing waited() {
        if (lockedTimes > 0) {
            return Doing.LOCKED;
        }
        return failures.attempts() > 0 ? Doing.RETRYING : null;
    }

    /** The first messages of its envelope are durable, the others stay. */
    void saved(int count) {
        for (int i = 0; i < count; i++) {
            messages.removeFirst();
        }
        if (count > 0) {
            held = messages.size();
            failures = Failures.NONE;
            lockedTimes = 0;
            wait = null;
        }
        comeAgain();
    }

    void comeAgain() {
        become(Ready.ANEW);
    }

    /** Books a failed attempt of the first message. */
    void failed() {
        wait = null;
        failures = new Failures(failures.attempts() + 1, failures.givenUp());
    }

    boolean isGivenUp() {
        return failures.givenUp() != null;
    }

    /** The first message has failed for the last time: its next turn sets it aside. */
    void giveUp(Throwable cause) {
        int attempts = failures.attempts();
        failures = new Failures(attempts, new GivenUp(attempts, cause));
    }

    void locked() {
        lockedTimes++;
    }

    Waiting waitUntil(long nanoTime) {
        return waiting(nanoTime, lockedTimes > 0);
    }

    /** Holds it back; its standing keeps the trouble that it had before. */
    Waiting holdBack(Doing why, long now, long until) {
        Note before = note;
        if (before == null || before.doing() != why) {
            stands(why, now, before == null ? null : before.trouble());
        }
        return waiting(until, why != Doing.PAUSED);
    }

    private Waiting waiting(long until, boolean goesOnByItself) {
        Waiting waiting = new Waiting(this, until, goesOnByItself);
        become(waiting);
        return waiting;
    }

    void stop() {
        become(Still.STOPPED);
    }

    /** A fold of its first messages goes on outside of the turn of that number, which began it. */
    void leftBehind(long turn, int messagesInFold) {
        become(new Folding(turn, messages.stream().limit(messagesInFold).toList(), true));
    }

    /** Takes the result of a fold; returns false if it does not wait for a fold of that turn. */
    boolean foldReturned(long turn, @Nullable Object folded) {
        if (!(state instanceof Folding folding) || folding.turn() != turn) {
            return false;
        }
        become(folding.isOfUse() ? new Ready(folded, folding.messages().size()) : Ready.ANEW);
        return true;
    }

    /**
     * Forgets the messages of epochs that are over or closing. If a fold is under way that has
     * messages of live epochs, the key still waits for it (I3), but its result is dropped.
     *
     * @return whether this has made it ready
     */
    boolean forgetDead() {
        State before = state;
        Folding foldsForLive =
                before instanceof Folding folding
                                && folding.messages().stream().anyMatch(m -> m.epoch().isLive())
                        ? folding
                        : null;
        @Nullable Message first = messages.peekFirst();
        if (!messages.removeIf(message -> !message.epoch().isLive())) {
            return false;
        }
        held = messages.size();
        boolean isFirstStillThere = messages.peekFirst() == first;
        if (!isFirstStillThere) { // and what it has waited for
            failures = Failures.NONE;
            lockedTimes = 0;
            wait = null;
        }
        if (foldsForLive != null) {
            become(new Folding(foldsForLive.turn(), foldsForLive.messages(), false));
            return false;
        }
        if (isFirstStillThere && !(before instanceof Ready)) {
            return false; // it waits for the same as before
        }
        comeAgain();
        return !(before instanceof Ready);
    }
}
