package dev.envelope.core.pool;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads of the pool: how many there are to be, and how many there are.
 *
 * <p>Threads: thread-safe (atomics).
 */
final class Workers {

    private final IntSupplier stuck;
    private final AtomicInteger wanted;
    private final AtomicInteger alive = new AtomicInteger();
    private volatile @Nullable Supplier<Thread> threads; // null as long as turns are run by hand
    private volatile boolean stopping;

    /**
     * @param stuck how many of them may never return
     */
    Workers(int wanted, IntSupplier stuck) {
        this.wanted = new AtomicInteger(wanted);
        this.stuck = stuck;
    }

    /**
     * Starts them.
     *
     * @param another creates a worker that is not started yet
     */
    void start(Supplier<Thread> another) {
        threads = another;
        startMissing();
    }

    void startMissing() {
        Supplier<Thread> another = threads;
        while (another != null && !stopping && alive.get() < allowed()) {
            alive.incrementAndGet();
            boolean hasStarted = false;
            try {
                another.get().start();
                hasStarted = true;
            } finally {
                if (!hasStarted) {
                    alive.decrementAndGet();
                }
            }
        }
    }

    /** As many as wanted, and one for each that is stuck, up to twice as many as wanted. */
    private int allowed() {
        int size = wanted.get();
        return size + Math.min(stuck.getAsInt(), size);
    }

    /** Worker: whether it is one too many; then it is not counted any more, and has to end. */
    boolean isSurplus() {
        int workers = alive.get();
        while (stopping || workers > allowed()) {
            if (alive.compareAndSet(workers, workers - 1)) {
                return true;
            }
            workers = alive.get();
        }
        return false;
    }

    /** Worker: it ends because of a fault. */
    void failed() {
        alive.decrementAndGet();
    }

    int wanted() {
        return wanted.get();
    }

    void want(int workers) {
        wanted.set(workers);
    }

    /** The same, unless another number was set meanwhile. */
    boolean want(int before, int workers) {
        return wanted.compareAndSet(before, workers);
    }

    /** All are surplus from now on. */
    void stop() {
        stopping = true;
    }
}
