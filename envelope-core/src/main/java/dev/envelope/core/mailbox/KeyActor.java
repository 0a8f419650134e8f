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
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A key that could not go on at once: its messages in order, and what it waits for. It exists only
 * as long as it holds messages.
 *
 * <p>Threads: actor, one at a time (the shard's runner); anybody may read how it stands.
 */
final class KeyActor {

    /** What a key is doing. */
    enum Phase {
        /** May enter the next turn. */
        READY,
        /** Its first messages are in the turn that is running. */
        IN_TURN,
        /** Waits for a time: after a failed attempt, or for a row that somebody has locked. */
        WAITING,
        /** A fold that was left behind still runs for its first messages. */
        FOLDING,
        /** Its first message has failed for the last time. */
        STOPPED
    }

    private final String key;
    private final ArrayDeque<Message> messages = new ArrayDeque<>();
    private Phase phase = Phase.READY;
    private long waitsUntil;
    private int failedAttempts; // of the first message
    private @Nullable GivenUp givenUp; // the first message, once its last attempt has failed
    private int lockedTimes; // in a row
    private int waitedTimes; // in a row, for the same thing
    private long waitingSince;
    private @Nullable Doing waitsFor;
    private int inTurn; // how many of the first messages are in a turn or in a fold left behind
    private @Nullable Doing heldBackBy; // and has not entered a turn since
    private long leftBehindBy; // the number of a turn
    private List<Message> inFold = List.of(); // of the fold that was left behind, dead ones too
    private @Nullable Object carried;
    private volatile int held; // how many messages, for those who look from outside
    private volatile @Nullable Note note; // null until something has kept it waiting

    /** Why it waits, as it was when it began to. */
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

    KeyActor(String key) {
        this.key = key;
    }

    String key() {
        return key;
    }

    Phase phase() {
        return phase;
    }

    long waitsUntil() {
        return waitsUntil;
    }

    int failedAttempts() {
        return failedAttempts;
    }

    int lockedTimes() {
        return lockedTimes;
    }

    /**
     * Whether it goes on without another attempt, and without a person: a fold is awaited, or the
     * end of a lock, or of the time that its rate makes it wait.
     */
    boolean goesOnByItself() {
        boolean waitsForOthers = heldBackBy == null ? lockedTimes > 0 : heldBackBy != Doing.PAUSED;
        return phase == Phase.FOLDING || (phase == Phase.WAITING && waitsForOthers);
    }

    /** Whether it has what a fold that was left behind has brought. */
    boolean isCarrying() {
        return carried != null;
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
     * Says why it waits, for people.
     *
     * @param trouble what went wrong, or null
     */
    void stands(Doing doing, long now, @Nullable Throwable trouble) {
        note = new Note(doing, now, failedAttempts, trouble);
    }

    /** Says that it waits for something outside, still or anew; returns how often in a row. */
    int waitsFor(Doing what, long now, @Nullable Throwable trouble) {
        if (waitsFor != what) {
            waitsFor = what;
            waitingSince = now;
            waitedTimes = 0;
        }
        note = new Note(what, waitingSince, failedAttempts, trouble);
        return ++waitedTimes;
    }

    /** Since when it waits for that. */
    long waitingSince() {
        return waitingSince;
    }

    /** Says that it is held back still, or anew; what went wrong before is still worth telling. */
    void isHeldBack(Doing why, long now) {
        heldBackBy = why;
        Note before = note;
        if (before == null) {
            note = new Note(why, now, failedAttempts, null);
        } else if (before.doing() != why) {
            note = new Note(why, now, failedAttempts, before.trouble());
        }
    }

    /** Any thread: how it stands; empty if nothing has kept it waiting yet. */
    Optional<Standing> standing() {
        return Optional.ofNullable(note).map(it -> it.with(held));
    }

    /** The envelope of its first messages, for a turn that has room for so much. */
    Envelope enterTurn(int maxMessages, long maxBytes) {
        int size = carried != null ? inTurn : Math.min(maxMessages, messages.size());
        List<Message> first = new ArrayList<>(size);
        long bytes = 0;
        for (Message message : messages) {
            bytes += message.heldBytes();
            boolean fits = carried != null || first.isEmpty() || bytes <= maxBytes;
            if (first.size() == size || !fits) {
                break;
            }
            first.add(message);
        }
        inTurn = first.size();
        heldBackBy = null;
        phase = Phase.IN_TURN;
        return new Envelope(key, first, carried, lockedTimes > 0 ? Doing.LOCKED : null, givenUp);
    }

    /** The first messages of its envelope are durable, the others stay. */
    void saved(int count) {
        for (int i = 0; i < count; i++) {
            messages.removeFirst();
        }
        if (count > 0) {
            held = messages.size();
            forgetFailures();
            lockedTimes = 0;
            waitsFor = null;
        }
        comeAgain();
    }

    void comeAgain() {
        phase = Phase.READY;
        inTurn = 0;
        carried = null;
    }

    /** Books a failed attempt of the first message. */
    void failed() {
        waitsFor = null;
        failedAttempts++;
    }

    private void forgetFailures() {
        failedAttempts = 0;
        givenUp = null;
    }

    boolean isGivenUp() {
        return givenUp != null;
    }

    /** The first message has failed for the last time: its next turn sets it aside. */
    void giveUp(Throwable cause) {
        givenUp = new GivenUp(failedAttempts, cause);
    }

    void locked() {
        lockedTimes++;
    }

    void waitUntil(long nanoTime) {
        phase = Phase.WAITING;
        waitsUntil = nanoTime;
        inTurn = 0;
        carried = null;
    }

    void stop() {
        phase = Phase.STOPPED;
    }

    /** A fold of its first messages goes on without the turn that began it. */
    void leftBehind(long turn, int messagesInFold) {
        phase = Phase.FOLDING;
        leftBehindBy = turn;
        inFold = messages.stream().limit(messagesInFold).toList();
        inTurn = messagesInFold;
        carried = null;
    }

    /** Takes what a fold left behind has brought, unless it is from a turn that is forgotten. */
    boolean foldReturned(long turn, @Nullable Object folded) {
        if (phase != Phase.FOLDING || leftBehindBy != turn) {
            return false;
        }
        phase = Phase.READY;
        inFold = List.of();
        carried = inTurn > 0 ? folded : null;
        return true;
    }

    /**
     * Forgets the messages of epochs that are over or ending. A fold that is under way for one that
     * is still live is waited for all the same (I3), but what it brings is of no use any more.
     */
    void forgetDead() {
        boolean foldsForLive =
                phase == Phase.FOLDING && inFold.stream().anyMatch(m -> m.epoch().isLive());
        if (messages.removeIf(message -> !message.epoch().isLive())) {
            held = messages.size();
            forgetFailures();
            comeAgain();
            if (foldsForLive) {
                phase = Phase.FOLDING;
            }
        }
    }
}
