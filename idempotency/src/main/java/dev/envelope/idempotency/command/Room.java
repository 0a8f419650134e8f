package dev.envelope.idempotency.command;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many callers wait, and how many bytes they have brought, within limits.
 *
 * <p>Threads: thread-safe (atomics).
 */
final class Room {

    private final int mostWaiting;
    private final long mostBytes;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    Room(int mostWaiting, long mostBytes) {
        this.mostWaiting = mostWaiting;
        this.mostBytes = mostBytes;
    }

    /** Lets a caller in; false if there is no room. One that is let in has to leave. */
    boolean enter() {
        if (waiting.incrementAndGet() <= mostWaiting) {
            return true;
        }
        waiting.decrementAndGet();
        return false;
    }

    void leave() {
        waiting.decrementAndGet();
    }

    /**
     * Takes room for bytes; false if there is none. What is larger than all of it may have it
     * alone. They have to be freed.
     */
    boolean take(long more) {
        long before = bytes.getAndAdd(more);
        if (before == 0 || before + more <= mostBytes) {
            return true;
        }
        bytes.addAndGet(-more);
        return false;
    }

    void free(long taken) {
        bytes.addAndGet(-taken);
    }

    long mostBytes() {
        return mostBytes;
    }

    int waiting() {
        return waiting.get();
    }

    long bytes() {
        return bytes.get();
    }
}
