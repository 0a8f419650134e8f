package dev.envelope.app.gateway;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts bytes in memory, within a limit.
 *
 * <p>Threads: thread-safe (an atomic number).
 */
final class Space {

    private final long most;
    private final AtomicLong taken = new AtomicLong();

    Space(long most) {
        this.most = most;
    }

    /** Takes space; false if there is none. What is larger than all of it may have it alone. */
    boolean take(long bytes) {
        long before = taken.getAndAdd(bytes);
        if (before == 0 || before + bytes <= most) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    void free(long bytes) {
        taken.addAndGet(-bytes);
    }

    long taken() {
        return taken.get();
    }
}
