package dev.envelope.idempotency.command;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How many callers wait, and how many bytes they have brought, within limits. A part of it has
 * limits of its own.
 *
 * <p>Threads: thread-safe (atomics).
 */
final class Room {

    private final @Nullable Room whole;
    private final int mostWaiting;
    private final long mostBytes;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    Room(int mostWaiting, long mostBytes) {
        this(null, mostWaiting, mostBytes);
    }

    private Room(@Nullable Room whole, int mostWaiting, long mostBytes) {
        this.whole = whole;
        this.mostWaiting = mostWaiting;
        this.mostBytes = mostBytes;
    }

    /** One of so many equal parts of this room. Who is in it is in this room, too. */
    Room part(int of) {
        return of == 1
                ? this
                : new Room(this, Math.max(1, mostWaiting / of), Math.max(1, mostBytes / of));
    }

    /** Lets a caller in; false if there is no room. One that is let in has to leave. */
    boolean enter() {
        boolean hasRoom = waiting.incrementAndGet() <= mostWaiting;
        if (hasRoom && (whole == null || whole.enter())) {
            return true;
        }
        waiting.decrementAndGet();
        return false;
    }

    void leave() {
        waiting.decrementAndGet();
        if (whole != null) {
            whole.leave();
        }
    }

    /**
     * Takes room for bytes; false if there is none. What is larger than all of it may have it
     * alone. They have to be freed.
     */
    boolean take(long more) {
        long before = bytes.getAndAdd(more);
        boolean hasRoom = before == 0 || before + more <= mostBytes;
        if (hasRoom && (whole == null || whole.take(more))) {
            return true;
        }
        bytes.addAndGet(-more);
        return false;
    }

    void free(long taken) {
        bytes.addAndGet(-taken);
        if (whole != null) {
            whole.free(taken);
        }
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
