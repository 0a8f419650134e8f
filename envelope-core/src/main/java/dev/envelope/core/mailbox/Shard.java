package dev.envelope.core.mailbox;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Environment;
import dev.envelope.core.api.Message;
import dev.envelope.core.mailbox.Mailbox.FoldReturned;
import dev.envelope.core.mailbox.Mailbox.Notice;
import dev.envelope.core.mailbox.Mailbox.Told;
import dev.envelope.core.waiting.Slabs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An actor that hosts the keys of one hash range: its mailbox, and the {@link KeyActor}s of the
 * keys that can't go on.
 *
 * <p>Threads: any thread posts; all else belongs to the worker that runs the shard, one at a time.
 * The state {@code IDLE or QUIET → READY → RUNNING → IDLE or QUIET} hands it over: the thread that
 * moves it to {@code READY} queues it, and the worker that makes it idle looks at the mailbox once
 * more.
 */
public final class Shard {

    private enum State {
        /** No worker runs it, and nothing in it will go on by itself. */
        QUIET,
        /** No worker runs it, but something in it will go on by itself. */
        IDLE,
        READY,
        RUNNING
    }

    private final int number;
    private final int place;
    private final ReadyShards readyShards;
    private final Environment environment;
    private final KeyGate gate;
    private final Mailbox mailbox;
    private final AtomicReference<State> state = new AtomicReference<>(State.QUIET);
    private final KeyActors keys = new KeyActors();
    private final ShardBackoff backoff = new ShardBackoff();
    private long timerSetFor = Long.MAX_VALUE;

    /** One of keys whose rows are at the only place. */
    public Shard(int number, ReadyShards readyShards, Environment environment, KeyGate gate) {
        this(number, 0, readyShards, environment, gate);
    }

    /** One of keys whose rows are at that place, with slabs of its own. */
    public Shard(
            int number, int place, ReadyShards readyShards, Environment environment, KeyGate gate) {
        this(number, place, readyShards, environment, gate, new Slabs());
    }

    /**
     * @param place where the rows of its keys are
     * @param gate says which keys have to wait
     * @param slabs where its messages wait
     */
    Shard(
            int number,
            int place,
            ReadyShards readyShards,
            Environment environment,
            KeyGate gate,
            Slabs slabs) {
        this.mailbox = new Mailbox(slabs);
        this.gate = gate;
        this.number = number;
        this.place = place;
        this.readyShards = readyShards;
        this.environment = environment;
    }

    public int number() {
        return number;
    }

    /** Where the rows of its keys are. */
    public int place() {
        return place;
    }

    /** Poll thread: messages of this shard's keys, in order. */
    public void post(List<Message> messages) {
        mailbox.post(messages, environment.ticker().nanoTime());
        wake();
    }

    /** Any thread: epochs have ended, their messages are to be forgotten. */
    public void epochsEnded() {
        post(Told.EPOCHS_ENDED);
    }

    /** Any thread: a fold of that key has returned that the turn of that number left behind. */
    void foldReturned(long turn, String key, @Nullable Object folded) {
        post(new FoldReturned(turn, key, folded));
    }

    private void post(Notice notice) {
        mailbox.post(notice);
        wake();
    }

    private void wake() {
        State now = state.get();
        if (isIdle(now) && state.compareAndSet(now, State.READY)) {
            readyShards.ready(this);
        }
    }

    private static boolean isIdle(@Nullable State state) {
        return state == State.QUIET || state == State.IDLE;
    }

    /** No worker runs it, and nothing waits in it that could be run now. */
    public boolean isIdle() {
        return isIdle(state.get());
    }

    /**
     * No worker runs it, and nothing in it will go on by itself: keys may wait for another attempt
     * or have stopped, but none waits for a fold, a lock or the store.
     */
    public boolean isQuiet() {
        return state.get() == State.QUIET;
    }

    void takeToRun() {
        state.set(State.RUNNING);
    }

    /** Releases the shard to the next worker. */
    void release() {
        long now = environment.ticker().nanoTime();
        long postsSeen = mailbox.posts();
        boolean more = mailbox.hasNotices() || (!backoff.holds(now) && holdsWork());
        if (more) {
            state.set(State.READY);
            readyShards.ready(this);
            return;
        }
        setTimer(now);
        boolean isGoingOn = (backoff.isStoreOut(now) && holdsWork()) || keys.goOnByThemselves();
        state.set(isGoingOn ? State.IDLE : State.QUIET);
        if (mailbox.posts() != postsSeen) {
            wake(); // a post between the look above and going idle has woken no worker
        }
    }

    private boolean holdsWork() {
        return keys.hasReady() || mailbox.hasMessages();
    }

    private void setTimer(long now) {
        long next = keys.nextTime();
        if (backoff.holds(now) && holdsWork()) {
            next = Math.min(next, backoff.until(now));
        }
        if (next < timerSetFor || timerSetFor <= now) {
            timerSetFor = next;
            if (next != Long.MAX_VALUE) {
                Duration delay = Duration.ofNanos(Math.max(next - now, 0));
                environment.timers().after(delay, () -> post(Told.TIME_HAS_COME));
            }
        }
    }

    /** Takes what waits, up to the turn's limits, and groups it by key. */
    void drainInto(Drained drained, long now) {
        readNotices();
        keys.wakeThoseWhoseTimeHasCome(now);
        if (backoff.holds(now)) {
            return;
        }
        while (drained.hasRoom()) {
            KeyActor actor = keys.nextReady();
            if (actor == null) {
                break;
            }
            enter(drained, actor, now);
        }
        group(drained, now);
    }

    private void group(Drained drained, long now) {
        if (!drained.hasRoom()) {
            return;
        }
        Map<String, List<Message>> byKey = new HashMap<>();
        while (drained.mayTake()) {
            Message message = mailbox.nextMessage(now);
            if (message == null) {
                break;
            }
            if (message.epoch().isLive()) {
                KeyActor actor = keys.of(message.key());
                if (actor != null) {
                    actor.add(message);
                } else {
                    byKey.computeIfAbsent(message.key(), it -> new ArrayList<>(4)).add(message);
                    drained.took(message);
                }
            }
        }
        for (Map.Entry<String, List<Message>> group : byKey.entrySet()) {
            String key = group.getKey();
            if (drained.isFull()) {
                // Taken out all the same, so that more messages of a key share an envelope.
                keys.comesAgain(hold(key, group.getValue()));
            } else if (drained.isTooLarge(group.getValue()) || gate.closed(key, now) != null) {
                enter(drained, hold(key, group.getValue()), now);
            } else {
                drained.add(Envelope.of(key, group.getValue()));
            }
        }
    }

    private void enter(Drained drained, KeyActor actor, long now) {
        KeyGate.Closed closed = actor.isCarrying() ? null : gate.closed(actor.key(), now);
        if (closed == null) { // the result of a slow fold is not dropped for a pause
            drained.add(actor);
        } else {
            isHeldBack(actor, closed.why(), closed.askAgainAfter());
        }
    }

    void isHeldBack(KeyActor actor, Doing why, Duration askAgainAfter) {
        long now = environment.ticker().nanoTime();
        keys.waits(actor.holdBack(why, now, now + askAgainAfter.toNanos()));
    }

    private void readNotices() {
        boolean epochsHaveEnded = false;
        for (@Nullable Notice notice = mailbox.nextNotice();
                notice != null;
                notice = mailbox.nextNotice()) {
            if (notice instanceof FoldReturned returned) {
                keys.foldReturned(returned, environment.ticker().nanoTime());
            } else if (notice == Told.EPOCHS_ENDED) {
                epochsHaveEnded = true;
            }
        }
        if (epochsHaveEnded) {
            keys.forgetDead();
        }
    }

    /** Creates an actor that holds these messages, for a key that had none. */
    KeyActor hold(String key, List<Message> messages) {
        return keys.hold(key, messages);
    }

    void comesAgain(KeyActor actor) {
        keys.comesAgain(actor);
    }

    void waits(KeyActor actor, Duration delay) {
        long until = environment.ticker().nanoTime() + delay.toNanos();
        keys.waits(actor.waitUntil(until));
    }

    /** Any thread: the keys that have to wait. */
    Stream<Map.Entry<String, Standing>> waitingKeys() {
        return keys.standings();
    }

    /** Any thread: the standing of a key that has had to wait. */
    Optional<Standing> standing(String key) {
        return keys.standing(key);
    }

    /** Counts messages of a key that have become durable. */
    void handled(String key, int messages) {
        gate.handled(key, messages, environment.ticker().nanoTime());
    }

    /** The store could not serve: nothing of this shard is tried before the back-off is over. */
    void storeFailed() {
        backoff.failed(environment.ticker().nanoTime(), environment.random());
    }

    /** There is no room for what its keys would put out: it looks again in a moment. */
    void crowded() {
        backoff.crowded(environment.ticker().nanoTime());
    }

    void storeServed() {
        backoff.served();
    }

    /** How many keys hold messages because they can't go on. */
    int heldKeys() {
        return keys.count();
    }

    @Override
    public String toString() {
        return "shard " + number;
    }
}
