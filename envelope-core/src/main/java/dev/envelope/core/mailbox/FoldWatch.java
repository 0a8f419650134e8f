package dev.envelope.core.mailbox;

import dev.envelope.core.api.Message;
import dev.envelope.core.turn.CallTimes.Stopwatch;
import dev.envelope.core.turn.FoldGuard;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Limits the time of user code at one message: interrupts it when the time is up, and reports it
 * when it ignores that.
 *
 * <p>If the worker is at the same step of {@link UserCode} as before, the watchdog seizes that
 * step. So the interrupt can hit nothing but user code: a worker that leaves while the interrupt is
 * being sent waits for it, and clears it.
 *
 * <p>Threads: the worker enters and leaves, the watchdog looks; {@link UserCode} decides which of
 * them is first.
 */
public final class FoldWatch implements FoldGuard {

    /** What the watchdog finds. */
    public enum Finding {
        /** The time is up: user code was interrupted just now. */
        INTERRUPTED,
        /** It ignores the interrupt; its thread may never return. */
        STUCK
    }

    /**
     * What the watchdog saw before it acted.
     *
     * @param where the stack of the worker, as an exception to be logged
     */
    public record Sighting(
            Finding finding, @Nullable Message message, Class<?> handler, Throwable where) {}

    /** How long user code may take to react to an interrupt. */
    static final Duration HEED = Duration.ofSeconds(5);

    /**
     * If there was no look for longer than this, the process stood still (a frozen machine, a long
     * collection), and user code with it.
     */
    static final Duration STOOD_STILL = Duration.ofSeconds(5);

    private static final long INTERRUPTING = -1;
    private static final long WAS_INTERRUPTED = -2;
    private static final long IS_STUCK = -3;

    private final Thread worker = Thread.currentThread();
    private final long timeoutNanos;

    private final UserCode code = new UserCode();

    private @Nullable Message message; // written before the step
    private Class<?> handler = FoldWatch.class;
    private int timesStuck; // worker only, as is the next
    private @Nullable Stopwatch stopwatch;

    private final Seen seen = new Seen(); // watchdog only

    /** What the watchdog saw, and since when. */
    private static final class Seen {

        private long step;
        private long since;
        private long lookedAt;

        /** Returns whether the process stood still since the last look. */
        boolean looksAt(long now) {
            boolean stoodStill = now - lookedAt > STOOD_STILL.toNanos();
            lookedAt = now;
            return stoodStill;
        }

        void set(long at, long now) {
            step = at;
            since = now;
        }

        boolean isLongerThan(long nanos, long now) {
            return now - since > nanos;
        }
    }

    /** Watches the thread that creates it. */
    public FoldWatch(Duration timeout) {
        timeoutNanos = timeout.toNanos();
    }

    /** Worker: has its calls measured from now on. */
    public void timeWith(Stopwatch watch) {
        stopwatch = watch;
    }

    @Override
    public void enter(Message at, Class<?> by) {
        message = at;
        handler = by;
        code.enter();
        if (stopwatch != null) {
            stopwatch.start();
        }
    }

    @Override
    public boolean leaveCall(boolean isDone) {
        boolean isInTime = leave();
        if (stopwatch != null) {
            stopwatch.stop(isDone && isInTime);
        }
        return isInTime;
    }

    @Override
    public boolean leave() {
        if (code.leave()) {
            return true;
        }
        while (code.step() == INTERRUPTING) {
            Thread.onSpinWait();
        }
        if (code.leaveSeized() == IS_STUCK) {
            timesStuck++;
        }
        var unused = Thread.interrupted();
        return false;
    }

    /**
     * Watchdog: interrupts user code whose time is up. The time begins anew after the process stood
     * still.
     *
     * @return what is found for the first time; usually nothing
     */
    public Optional<Sighting> look(long now) {
        boolean stoodStill = seen.looksAt(now);
        long at = code.step();
        if (at != seen.step || stoodStill) {
            seen.set(at, now);
        } else if (UserCode.isInside(at) && seen.isLongerThan(timeoutNanos, now)) {
            return interrupt(at, now);
        } else if (at == WAS_INTERRUPTED && seen.isLongerThan(HEED.toNanos(), now)) {
            Sighting sighting = sight(Finding.STUCK);
            return code.seize(at, IS_STUCK) ? Optional.of(sighting) : Optional.empty();
        }
        return Optional.empty();
    }

    private Optional<Sighting> interrupt(long at, long now) {
        if (!code.seize(at, INTERRUPTING)) {
            return Optional.empty();
        }
        Sighting sighting = sight(Finding.INTERRUPTED); // later the thread may be elsewhere
        worker.interrupt();
        code.seize(INTERRUPTING, WAS_INTERRUPTED);
        seen.set(WAS_INTERRUPTED, now);
        return Optional.of(sighting);
    }

    /**
     * The message that user code is at, or was at when the worker died in it; null if there is
     * none.
     */
    public @Nullable Message underWay() {
        long at = code.step();
        return at < 0 || UserCode.isInside(at) ? message : null;
    }

    private Sighting sight(Finding finding) {
        Throwable where = new Throwable("where " + worker.getName() + " was");
        where.setStackTrace(worker.getStackTrace());
        return new Sighting(finding, message, handler, where);
    }

    /** Worker: how often it was reported as stuck and has returned after all. */
    public int timesStuck() {
        return timesStuck;
    }
}
