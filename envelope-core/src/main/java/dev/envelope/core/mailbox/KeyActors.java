package dev.envelope.core.mailbox;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Message;
import dev.envelope.core.mailbox.KeyActor.Waiting;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a shard that could not go on at once: their actors, in the order in which they may go
 * on, and the times that they wait for.
 *
 * <p>Threads: actor, one at a time (the shard's runner); any thread may read the standing of keys
 * (a concurrent map).
 */
final class KeyActors {

    private final Map<String, KeyActor> actors =
            new ConcurrentHashMap<>(); // other threads only read
    private final ArrayDeque<KeyActor> ready = new ArrayDeque<>();
    private final PriorityQueue<Waiting> waiting =
            new PriorityQueue<>(Comparator.comparingLong(Waiting::until));
    private int goingOn; // of the actors

    /** Creates an actor that holds these messages, for a key that had none. */
    KeyActor hold(String key, List<Message> messages) {
        KeyActor actor = new KeyActor(key, more -> goingOn += more);
        actor.addAll(messages);
        actors.put(key, actor);
        return actor;
    }

    /** The actor of a key, or null if it has none. */
    @Nullable KeyActor of(String key) {
        return actors.isEmpty() ? null : actors.get(key);
    }

    /**
     * Queues an actor that may go on, behind those that are ready already; forgets it if it holds
     * no message any more.
     */
    void comesAgain(KeyActor actor) {
        if (actor.isEmpty()) {
            actors.remove(actor.key(), actor);
        } else {
            ready.addLast(actor);
        }
    }

    void waits(Waiting until) {
        waiting.add(until);
    }

    /** When the first of those that wait for a time may go on. */
    long nextTime() {
        Waiting first = waiting.peek();
        return first == null ? Long.MAX_VALUE : first.until();
    }

    void wakeThoseWhoseTimeHasCome(long now) {
        while (!waiting.isEmpty() && waiting.peek().until() <= now) {
            Waiting first = waiting.remove();
            KeyActor actor = first.actor();
            if (actor.isWaiting(first)) {
                actor.comeAgain();
                ready.addLast(actor);
            }
        }
    }

    /** A fold has returned: its key goes on first. */
    void foldReturned(Mailbox.FoldReturned fold, long now) {
        KeyActor actor = actors.get(fold.key());
        if (actor != null && actor.foldReturned(fold.turn(), fold.folded())) {
            actor.stands(Doing.QUEUED, now, null);
            ready.addFirst(actor);
        }
    }

    /** Forgets the messages of epochs that have ended. */
    void forgetDead() {
        for (Iterator<KeyActor> all = actors.values().iterator(); all.hasNext(); ) {
            KeyActor actor = all.next();
            boolean isReadyNow = actor.forgetDead();
            if (actor.isEmpty()) {
                actor.comeAgain(); // it counts no more
                all.remove();
            } else if (isReadyNow) {
                ready.addLast(actor);
            }
        }
    }

    boolean hasReady() {
        return !ready.isEmpty();
    }

    /** Takes the first actor that may still go on; null if there is none. */
    @Nullable KeyActor nextReady() {
        for (KeyActor actor = ready.poll(); actor != null; actor = ready.poll()) {
            if (actor.isReady()) {
                actor.forgetDead();
                if (!actor.isEmpty()) {
                    return actor;
                }
                actors.remove(actor.key(), actor);
            }
        }
        return null;
    }

    /** Whether one of them goes on without another attempt, and without a person. */
    boolean goOnByThemselves() {
        return goingOn > 0;
    }

    /** Any thread: the keys that have to wait. */
    Stream<Map.Entry<String, Standing>> standings() {
        return actors.values().stream()
                .flatMap(
                        actor ->
                                actor.standing().stream()
                                        .map(standing -> Map.entry(actor.key(), standing)));
    }

    /** Any thread: the standing of a key that has had to wait. */
    Optional<Standing> standing(String key) {
        return Optional.ofNullable(actors.get(key)).flatMap(KeyActor::standing);
    }

    int count() {
        return actors.size();
    }
}
