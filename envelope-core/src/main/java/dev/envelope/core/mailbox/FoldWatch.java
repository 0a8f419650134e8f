package dev.envelope.core.mailbox;

import dev.envelope.core.api.FoldGuard;
import dev.envelope.core.api.Message;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that user code does not stay at one message for ever: interrupts it when its time is
 * over, and says so when it does not heed that.
 *
 * <p>The worker only counts its steps, in and out, and asks no clock; the watchdog sees that a step
 * has not changed since it looked before.
 *
 * <p>Threads: the worker enters and leaves, the watchdog looks. Both move {@code step} by
 * compare-and-set, so that the interrupt can hit nothing but user code: whoever leaves while it is
 * being sent waits until it has come, and clears it.
 */
public final class FoldWatch implements FoldGuard {

    /** What the watchdog finds. */
    public enum Finding {
        /** Nothing is wrong, or nothing that was not said before. */
        NOTHING,
        /** The time is over: user code was interrupted just now. */
        INTERRUPTED,
        /** It has not heeded the interrupt; its thread may never come back. */
        STUCK
    }

    /**
     * What the watchdog saw before it did anything about it.
     *
     * @param where the worker was, as the stack of an exception to be logged
     */
    public record Sighting(@Nullable Message message, Class<?> handler, Throwable where) {}

    /** How long user code may take to heed an interrupt. */
    static final Duration HEED = Duration.ofSeconds(5);

    private static final long INTERRUPTING = -1;
    private static final long WAS_INTERRUPTED = -2;
    private static final long IS_STUCK = -3;

    private final Thread worker = Thread.currentThread();
    private final long timeoutNanos;

    /** Even: outside; odd: inside; negative: inside, and longer than it may be. */
    private final AtomicLong step = new AtomicLong();

    private long steps; // worker only: the last it has made
    private int timesStuck; // worker only
    private @Nullable Message message; // written before the step
    private Class<?> handler = FoldWatch.class;

    private long seenStep; // watchdog only, as are the next
    private long seenSince;
    private @Nullable Sighting sighting;

    /** Of the thread that makes it. */
    public FoldWatch(Duration timeout) {
        timeoutNanos = timeout.toNanos();
    }

    @Override
    public void enter(Message at, Class<?> by) {
        message = at;
        handler = by;
        steps++;
        step.setRelease(steps);
    }

    @Override
    public boolean leave() {
        long inside = steps++;
        if (step.compareAndSet(inside, steps)) {
            return true;
        }
        while (step.get() == INTERRUPTING) {
            Thread.onSpinWait();
        }
        if (step.getAndSet(steps) == IS_STUCK) {
            timesStuck++;
        }
        var unused = Thread.interrupted();
        return false;
    }

    /** Watchdog: interrupts user code whose time is over. */
    public Finding look(long now) {
        long at = step.get();
        if (at != seenStep) {
            seenStep = at;
            seenSince = now;
            return Finding.NOTHING;
        }
        if (isInside(at) && now - seenSince > timeoutNanos) {
            return interrupt(at, now);
        }
        if (at == WAS_INTERRUPTED && now - seenSince > HEED.toNanos()) {
            sighting = sight();
            return step.compareAndSet(at, IS_STUCK) ? Finding.STUCK : Finding.NOTHING;
        }
        return Finding.NOTHING;
    }

    private Finding interrupt(long at, long now) {
        if (!step.compareAndSet(at, INTERRUPTING)) {
            return Finding.NOTHING;
        }
        sighting = sight(); // who has heeded the interrupt is somewhere else
        worker.interrupt();
        step.set(WAS_INTERRUPTED);
        seenStep = WAS_INTERRUPTED;
        seenSince = now;
        return Finding.INTERRUPTED;
    }

    private static boolean isInside(long at) {
        return at > 0 && (at & 1) == 1;
    }

    /** What user code is at, or was at last when a worker has died in it; null if at nothing. */
    public @Nullable Message underWay() {
        long at = step.get();
        return at < 0 || isInside(at) ? message : null;
    }

    /** Watchdog: what its last finding was about. */
    public Sighting sighting() {
        return Objects.requireNonNull(sighting);
    }

    private Sighting sight() {
        Throwable where = new Throwable("where " + worker.getName() + " was");
        where.setStackTrace(worker.getStackTrace());
        return new Sighting(message, handler, where);
    }

    /** Worker: how often it was stuck and has come back all the same. */
    public int timesStuck() {
        return timesStuck;
    }
}
