package dev.envelope.core;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.Environment.Parker;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The system's clock, timers, threads and random numbers: the only place of the engine that takes
 * them.
 *
 * <p>Threads: thread-safe; its executors are its own.
 */
final class SystemEnvironment implements AutoCloseable {

    private static final int BACKGROUND_THREADS = 2;

    private final ScheduledExecutorService timer;
    private final ExecutorService background;
    private final ExecutorService blocking;
    private final Environment environment;

    SystemEnvironment() {
        timer = Executors.newSingleThreadScheduledExecutor(threads("envelope-timer"));
        background =
                Executors.newFixedThreadPool(BACKGROUND_THREADS, threads("envelope-background"));
        blocking = Executors.newCachedThreadPool(threads("envelope-blocking"));
        RandomGenerator jitter = () -> ThreadLocalRandom.current().nextLong();
        environment =
                new Environment(
                        System::nanoTime,
                        this::after,
                        background,
                        blocking,
                        new ThreadParker(),
                        jitter);
    }

    Environment environment() {
        return environment;
    }

    private void after(Duration delay, Runnable task) {
        if (!timer.isShutdown()) {
            var unused = timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    void every(Duration interval, Runnable task) {
        long nanos = interval.toNanos();
        var unused = timer.scheduleWithFixedDelay(task, nanos, nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
        background.shutdownNow();
        blocking.shutdownNow();
    }

    /** Daemon threads of that name, numbered. */
    static ThreadFactory threads(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Parks a real thread. */
    private static final class ThreadParker implements Parker {

        private volatile @Nullable Thread parked;
        private volatile boolean posted;

        @Override
        public void park(long nanos) {
            parked = Thread.currentThread();
            if (!posted) {
                LockSupport.parkNanos(this, nanos);
            }
            posted = false;
            parked = null;
        }

        @Override
        public void unpark() {
            posted = true;
            Thread thread = parked;
            if (thread != null) {
                LockSupport.unpark(thread);
            }
        }
    }
}
