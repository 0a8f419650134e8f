package dev.envelope.idempotency.outbox;

import dev.envelope.idempotency.store.OutboxStore.Depth;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether the outbox has room. It is full when too many records wait or the first has waited too
 * long; then messages that would become dead letters wait, too. The relay measures it periodically,
 * and in between the workers count what they add. So the limit can be exceeded only by what other
 * processes add within a second.
 *
 * <p>Threads: thread-safe (atomics, a concurrent map). The next measurement corrects a lost update.
 */
public final class OutboxRoom {

    /**
     * The limits of the outbox.
     *
     * @param maxAge how long the first record may wait
     */
    public record Limits(int maxRows, Duration maxAge) {

        public Limits {
            if (maxRows < 1 || maxAge.isNegative() || maxAge.isZero()) {
                throw new IllegalArgumentException("an outbox needs room for something");
            }
        }
    }

    private final Limits limits;
    private final AtomicLong rows = new AtomicLong();
    private final Map<Object, Depth> measured = new ConcurrentHashMap<>(); // by who has measured
    private volatile boolean isFull;

    public OutboxRoom(Limits limits) {
        this.limits = limits;
    }

    /**
     * Without limit: for a fold that makes no dead letters, or an outbox that is limited elsewhere.
     */
    public static OutboxRoom endless() {
        return new OutboxRoom(new Limits(Integer.MAX_VALUE, Duration.ofDays(36_500)));
    }

    public boolean isOpen() {
        return !isFull;
    }

    /** Counts records that were added. */
    public void added(int records) {
        if (rows.addAndGet(records) >= limits.maxRows()) {
            isFull = true;
        }
    }

    /**
     * Sets the measured depth. A full outbox opens only when a quarter is free, so that it does not
     * flap.
     *
     * @param by who has measured its part of what waits
     */
    void measured(Object by, Depth depth) {
        measured.put(by, depth);
        judge();
    }

    /**
     * What was measured at one of several places counts no more while that is away. Nothing can be
     * saved there, and what is there must not stop keys of the others.
     */
    void withoutPlaceOf(Object by) {
        if (measured.size() > 1 && measured.remove(by) != null) {
            judge();
        }
    }

    private void judge() {
        long sum = measured.values().stream().mapToLong(Depth::rows).sum();
        rows.set(sum);
        boolean isTooOld =
                measured.values().stream()
                        .anyMatch(it -> it.oldest().compareTo(limits.maxAge()) > 0);
        int bound = isFull ? limits.maxRows() - limits.maxRows() / 4 : limits.maxRows();
        isFull = isTooOld || sum >= bound;
    }

    Limits limits() {
        return limits;
    }
}
