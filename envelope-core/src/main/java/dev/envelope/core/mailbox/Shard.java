package dev.envelope.core.mailbox;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Environment;
import dev.envelope.core.api.Message;
import dev.envelope.core.mailbox.KeyActor.Waiting;
import dev.envelope.core.mailbox.Mailbox.FoldReturned;
import dev.envelope.core.mailbox.Mailbox.Notice;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An actor that hosts the keys of one hash range: its mailbox, and the {@link KeyActor}s of the
 * keys that can't go on.
 *
 * <p>Threads: anybody posts; all else belongs to whoever runs the shard, one at a time. The state
 * {@code IDLE → READY → RUNNING → IDLE} hands it over: who moves it to {@code READY} queues it, and
 * who lets it go idle looks at the mailbox once more.
 */
public final class Shard {

    private enum State {
        IDLE,
        READY,
        RUNNING
    }

    private final int number;
    private final ReadyShards readyShards;
    private final Environment environment;
    private final KeyGate gate;
    private final Mailbox mailbox = new Mailbox();
    private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);

    private final Map<String, KeyActor> actors = new ConcurrentHashMap<>(); // others only look
    private final ArrayDeque<KeyActor> ready = new ArrayDeque<>();
    private final PriorityQueue<Waiting> waiting =
            new PriorityQueue<>(Comparator.comparingLong(Waiting::until));
    private final StoreBackoff storeBackoff = new StoreBackoff();
    private long timerSetFor = Long.MAX_VALUE;
    private volatile boolean isGoingOn; // though idle; the shard's runner writes it

    public Shard(int number, ReadyShards readyShards, Environment environment) {
        this(number, readyShards, environment, new KeyGate());
    }

    /**
     * @param gate says which keys have to wait
     */
    public Shard(int number, ReadyShards readyShards, Environment environment, KeyGate gate) {
        this.gate = gate;
        this.number = number;
        this.readyShards = readyShards;
        this.environment = environment;
    }

    public int number() {
        return number;
    }

    /** Any thread, in practice the poll thread: messages of this shard's keys, in order. */
    public void post(List<Message> messages) {
        mailbox.post(messages);
        wake();
    }

    /** Any thread: epochs have ended, forget what was theirs. */
    public void epochsEnded() {
        post(Mailbox.EPOCHS_ENDED);
    }

    /** Any thread: a fold of that key is back that the turn of that number has left behind. */
    void foldReturned(long turn, String key, @Nullable Object folded) {
        post(new FoldReturned(turn, key, folded));
    }

    private void post(Notice notice) {
        mailbox.post(notice);
        wake();
    }

    private void wake() {
        if (state.compareAndSet(State.IDLE, State.READY)) {
            readyShards.ready(this);
        }
    }

    /** Nobody runs it, and nothing waits in it that could be run now. */
    public boolean isIdle() {
        return state.get() == State.IDLE;
    }

    /**
     * Nobody runs it, and nothing in it will go on by itself: there may be keys that wait for
     * another attempt or have stopped, but no fold that is still awaited, no row that somebody else
     * has locked, and nothing that waits for the store.
     */
    public boolean isQuiet() {
        return isIdle() && !isGoingOn;
    }

    void takeToRun() {
        state.set(State.RUNNING);
    }

    /** Hands the shard to whoever comes next. */
    void release() {
        long now = environment.ticker().nanoTime();
        long postsSeen = mailbox.posts();
        boolean more = mailbox.hasNotices() || (!storeBackoff.holds(now) && holdsWork());
        if (more) {
            state.set(State.READY);
            readyShards.ready(this);
            return;
        }
        setTimer(now);
        isGoingOn =
                (storeBackoff.holds(now) && holdsWork())
                        || actors.values().stream().anyMatch(KeyActor::goesOnByItself);
        state.set(State.IDLE);
        if (mailbox.posts() != postsSeen) {
            wake(); // a post between the look above and going idle has woken nobody
        }
    }

    private boolean holdsWork() {
        return !ready.isEmpty() || mailbox.hasMessages();
    }

    private void setTimer(long now) {
        long next = waiting.isEmpty() ? Long.MAX_VALUE : waiting.peek().until();
        if (storeBackoff.holds(now) && holdsWork()) {
            next = Math.min(next, storeBackoff.until());
        }
        if (next < timerSetFor || timerSetFor <= now) {
            timerSetFor = next;
            if (next != Long.MAX_VALUE) {
                Duration delay = Duration.ofNanos(Math.max(next - now, 0));
                environment.timers().after(delay, () -> post(Mailbox.TIME_HAS_COME));
            }
        }
    }

    /** Takes what waits, up to the turn's limits, and groups it by key. */
    void drainInto(Drained drained, long now) {
        readNotices();
        wakeThoseWhoseTimeHasCome(now);
        if (storeBackoff.holds(now)) {
            return;
        }
        while (drained.hasRoom() && !ready.isEmpty()) {
            KeyActor actor = ready.removeFirst();
            if (actor.isReady() && !forgottenIfEmpty(actor)) {
                enter(drained, actor, now);
            }
        }
        group(drained, now);
    }

    private void group(Drained drained, long now) {
        Map<String, List<Message>> byKey = new HashMap<>();
        while (drained.hasRoom()) {
            Message message = mailbox.nextMessage();
            if (message == null) {
                break;
            }
            if (message.epoch().isLive()) {
                KeyActor actor = actors.isEmpty() ? null : actors.get(message.key());
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
            if (drained.isTooLarge(group.getValue()) || gate.closed(key, now) != null) {
                enter(drained, hold(key, group.getValue()), now);
            } else {
                drained.add(Envelope.of(key, group.getValue()));
            }
        }
    }

    private void enter(Drained drained, KeyActor actor, long now) {
        KeyGate.Closed closed = actor.isCarrying() ? null : gate.closed(actor.key(), now);
        if (closed == null) { // what a slow fold has brought is not folded again for a pause
            drained.add(actor);
        } else {
            long until = environment.ticker().nanoTime() + closed.askAgainAfter().toNanos();
            waiting.add(actor.holdBack(closed.why(), now, until));
        }
    }

    private void readNotices() {
        boolean epochsHaveEnded = false;
        for (@Nullable Notice notice = mailbox.nextNotice();
                notice != null;
                notice = mailbox.nextNotice()) {
            if (notice instanceof FoldReturned returned) {
                KeyActor actor = actors.get(returned.key());
                if (actor != null && actor.foldReturned(returned.turn(), returned.folded())) {
                    actor.stands(Doing.QUEUED, environment.ticker().nanoTime(), null);
                    ready.addFirst(actor);
                }
            } else if (notice == Mailbox.EPOCHS_ENDED) {
                epochsHaveEnded = true;
            }
        }
        if (epochsHaveEnded) {
            forgetDead();
        }
    }

    private void forgetDead() {
        for (Iterator<KeyActor> all = actors.values().iterator(); all.hasNext(); ) {
            KeyActor actor = all.next();
            boolean isReadyNow = actor.forgetDead();
            if (actor.isEmpty()) {
                all.remove();
            } else if (isReadyNow) {
                ready.addLast(actor);
            }
        }
    }

    private void wakeThoseWhoseTimeHasCome(long now) {
        while (!waiting.isEmpty() && waiting.peek().until() <= now) {
            Waiting first = waiting.remove();
            KeyActor actor = first.actor();
            if (actor.isWaiting(first)) {
                actor.comeAgain();
                ready.addLast(actor);
            }
        }
    }

    private boolean forgottenIfEmpty(KeyActor actor) {
        actor.forgetDead();
        if (actor.isEmpty()) {
            actors.remove(actor.key(), actor);
        }
        return actor.isEmpty();
    }

    /** Makes an actor that holds these messages of a key that had none. */
    KeyActor hold(String key, List<Message> messages) {
        KeyActor actor = new KeyActor(key);
        actor.addAll(messages);
        actors.put(key, actor);
        return actor;
    }

    void comesAgain(KeyActor actor) {
        if (actor.isEmpty()) {
            actors.remove(actor.key(), actor);
        } else {
            ready.addLast(actor);
        }
    }

    void waits(KeyActor actor, Duration delay) {
        long until = environment.ticker().nanoTime() + delay.toNanos();
        waiting.add(actor.waitUntil(until));
    }

    /** Any thread: the keys that something keeps waiting. */
    Stream<Map.Entry<String, Standing>> waitingKeys() {
        return actors.values().stream()
                .flatMap(
                        actor ->
                                actor.standing().stream()
                                        .map(standing -> Map.entry(actor.key(), standing)));
    }

    /** Any thread: how a key stands that something has kept waiting. */
    Optional<Standing> standing(String key) {
        return Optional.ofNullable(actors.get(key)).flatMap(KeyActor::standing);
    }

    /** So many messages of a key are durable. */
    void handled(String key, int messages) {
        gate.handled(key, messages, environment.ticker().nanoTime());
    }

    /** The store could not serve: nothing of this shard is tried before the back-off is over. */
    void storeFailed() {
        storeBackoff.failed(environment.ticker().nanoTime(), environment.random());
    }

    void storeServed() {
        storeBackoff.served();
    }

    /** Keys that hold messages because they can't go on. */
    int heldKeys() {
        return actors.size();
    }

    @Override
    public String toString() {
        return "shard " + number;
    }
}
