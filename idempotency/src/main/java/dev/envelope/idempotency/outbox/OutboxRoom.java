package dev.envelope.idempotency.outbox;

import dev.envelope.idempotency.store.OutboxStore.Depth;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether the outbox takes more. It is full when too many records wait or the first of them has
 * waited too long; from then on messages that would put something out wait, too. The relay measures
 * it now and then, and in between the workers count what they add; so it can be overshot by what
 * the other processes add within a second, and by no more.
 *
 * <p>Threads: thread-safe (atomics). A lost update is made good by the next measurement.
 */
public final class OutboxRoom {

    /**
     * How much may wait.
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
    private volatile boolean isFull;

    public OutboxRoom(Limits limits) {
        this.limits = limits;
    }

    /** Room without end: nothing is put out, or somebody else keeps it small. */
    public static OutboxRoom endless() {
        return new OutboxRoom(new Limits(Integer.MAX_VALUE, Duration.ofDays(36_500)));
    }

    public boolean isOpen() {
        return !isFull;
    }

    /** So many records were written down. */
    public void added(int records) {
        if (rows.addAndGet(records) >= limits.maxRows()) {
            isFull = true;
        }
    }

    /** So much waits. What was full opens when a quarter is free, so that it does not flutter. */
    void measured(Depth depth) {
        rows.set(depth.rows());
        boolean isTooOld = depth.oldest().compareTo(limits.maxAge()) > 0;
        int bound = isFull ? limits.maxRows() - limits.maxRows() / 4 : limits.maxRows();
        isFull = isTooOld || depth.rows() >= bound;
    }

    Limits limits() {
        return limits;
    }
}
