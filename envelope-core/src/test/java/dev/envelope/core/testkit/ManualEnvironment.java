package dev.envelope.core.testkit;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.Environment.Parker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.random.RandomGenerator;

/**
 * Time, timers, background and parking, moved on by hand.
 *
 * <p>A parked poll thread lets {@link #whileParked} happen, by default everything that waits in the
 * background; if that has unparked nobody, the whole time of parking goes by.
 *
 * <p>Threads: one thread, which plays all the others.
 */
public final class ManualEnvironment {

    /** Jitter that is none: {@code nextDouble()} is one half. */
    public static final RandomGenerator NO_JITTER = () -> Long.MIN_VALUE;

    private record Timer(long at, long order, Runnable task) {}

    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(
                    Comparator.comparingLong(Timer::at).thenComparingLong(Timer::order));
    private final Queue<Runnable> background = new ArrayDeque<>();
    private final Queue<Runnable> blocking = new ArrayDeque<>();
    private final Environment environment;
    private Runnable whileParked = this::runBackground;
    private long now;
    private long timersMade;
    private boolean unparked;

    public ManualEnvironment() {
        this(NO_JITTER);
    }

    public ManualEnvironment(RandomGenerator random) {
        Parker parker =
                new Parker() {
                    @Override
                    public void park(long nanos) {
                        parkFor(nanos);
                    }

                    @Override
                    public void unpark() {
                        unparked = true;
                    }
                };
        environment =
                new Environment(
                        () -> now, this::after, background::add, blocking::add, parker, random);
    }

    public Environment environment() {
        return environment;
    }

    public long nanoTime() {
        return now;
    }

    private void after(Duration delay, Runnable task) {
        timers.add(new Timer(now + delay.toNanos(), timersMade++, task));
    }

    /** Lets time go by; timers go off on their way, each at its time. */
    public void advance(Duration time) {
        long until = now + time.toNanos();
        for (Timer next = timers.peek(); next != null && next.at() <= until; next = timers.peek()) {
            timers.remove();
            now = Math.max(now, next.at());
            next.task().run();
        }
        now = Math.max(now, until);
    }

    public int timers() {
        return timers.size();
    }

    /** Runs what of others waits for a thread of its own. */
    public void runBlocking() {
        for (Runnable next = blocking.poll(); next != null; next = blocking.poll()) {
            next.run();
        }
    }

    /** Runs what waits in the background, and what that brings with it. */
    public void runBackground() {
        while (runOneInBackground()) {
            // Until nothing is left.
        }
    }

    /** Runs the first that waits in the background. */
    public boolean runOneInBackground() {
        Runnable next = background.poll();
        if (next == null) {
            return false;
        }
        next.run();
        return true;
    }

    public int waitingInBackground() {
        return background.size();
    }

    /** What goes on while the poll thread is parked. */
    public void whileParked(Runnable others) {
        whileParked = others;
    }

    private void parkFor(long nanos) {
        if (!unparked) {
            whileParked.run();
        }
        if (!unparked) {
            advance(Duration.ofNanos(nanos));
        }
        unparked = false;
    }
}
