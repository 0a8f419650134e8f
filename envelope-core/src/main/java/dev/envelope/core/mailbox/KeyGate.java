package dev.envelope.core.mailbox;

import dev.envelope.core.api.Doing;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides which keys may enter a turn: not those that an operator has paused, nor those that are
 * over the rate limit of a key. The others flow.
 *
 * <p>An envelope is never cut for the rate: after a large envelope its key waits until it is under
 * the rate again.
 *
 * <p>Threads: thread-safe (concurrent maps); each key is asked for by one thread at a time.
 */
public final class KeyGate {

    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int LEAST_TO_SWEEP = 1_024;

    private final Set<String> paused = ConcurrentHashMap.newKeySet();
    private final Set<String> heldBack = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> owesUntil = new ConcurrentHashMap<>();
    private volatile int perSecond;
    private volatile int sweepAbove = LEAST_TO_SWEEP;

    /** Why a key may not enter now, and when to ask again. */
    record Closed(Doing why, Duration askAgainAfter) {}

    /**
     * Poll thread: sets the keys that are paused in the database. Keys that were among them before
     * and are not now go on.
     */
    public void holdBack(Set<String> keys) {
        heldBack.addAll(keys); // first: a key that is in both sets is never open in between
        heldBack.retainAll(keys);
    }

    /** Any thread: pauses one key until it is resumed, in this process alone. */
    public void pause(String key) {
        paused.add(key);
    }

    /**
     * Any thread: undoes {@link #pause}.
     *
     * @return false if it was not paused
     */
    public boolean resume(String key) {
        return paused.remove(key);
    }

    /** Any thread. */
    public boolean isPaused(String key) {
        return paused.contains(key) || heldBack.contains(key);
    }

    /** Any thread: limits the messages per second of each key; 0 for no limit. */
    public void limitTo(int messagesPerSecond) {
        perSecond = messagesPerSecond;
        owesUntil.clear();
    }

    /** Why that key may not enter a turn now; null if it may. */
    @Nullable Closed closed(String key, long now) {
        if (isPaused(key)) {
            return new Closed(Doing.PAUSED, LOOK_AGAIN);
        }
        Long until = perSecond == 0 ? null : owesUntil.get(key);
        return until == null || until - now <= 0
                ? null
                : new Closed(
                        Doing.OVER_RATE,
                        Duration.ofNanos(Math.min(until - now, LOOK_AGAIN.toNanos())));
    }

    /** Counts messages of that key that have become durable. */
    void handled(String key, int messages, long now) {
        int rate = perSecond;
        if (rate > 0 && messages > 0) {
            owesUntil.put(key, now + (long) (messages * NANOS_PER_SECOND / rate));
            if (owesUntil.size() > sweepAbove) {
                owesUntil.values().removeIf(until -> until - now <= 0);
                sweepAbove = Math.max(LEAST_TO_SWEEP, 2 * owesUntil.size());
            }
        }
    }
}
