package dev.envelope.idempotency.timer;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.background.Outage;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.store.timer.Timer;
import dev.envelope.idempotency.store.timer.TimerStore;
import dev.envelope.idempotency.store.timer.TimerStore.Look;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires the timers of this process's partitions when they are due. It knows when the next one is
 * due, and asks the database only then: or once a second, for timers that another process has set.
 *
 * <p>Whether a timer is due is decided by the database's clock alone. This process's clock only
 * says when to look.
 *
 * <p>Threads: one thread; {@link #set} by workers, {@link #status} from any.
 */
public final class Timers {

    private static final Logger log = LoggerFactory.getLogger(Timers.class);
    private static final long LOOK_EVERY = TimeUnit.SECONDS.toNanos(1);
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int AT_ONCE = 500;

    private final TimerStore store;
    private final Supplier<? extends Collection<TopicPartition>> owned;
    private final OutputRoom room;
    private final int perSecond;
    private final Ticker ticker;
    private final InstantSource clock;
    private final long start;
    private final AtomicLong nextSet = new AtomicLong(Long.MAX_VALUE); // set by saves since a look
    private Collection<TopicPartition> partitions = List.of();
    private long nextPartitions;
    private long nextLook;
    private long lastLook;
    private final Outage outage = new Outage(log, "firing timers");
    private volatile Seen seen = new Seen(0, 0, null);

    /**
     * What the last look has seen.
     *
     * @param fired by this process, until then
     * @param next how long it was then until the next one was due; null if there was none
     */
    private record Seen(long fired, long at, @Nullable Duration next) {}

    /**
     * What has fired.
     *
     * @param fired by this process
     * @param late for how long the next timer has been due; zero if none is overdue
     */
    public record Status(long fired, Duration late) {

        /** None. */
        public static final Status NONE = new Status(0, Duration.ZERO);

        /** Of the timers of several slots as one. */
        public Status and(Status other) {
            return new Status(
                    fired + other.fired, late.compareTo(other.late) > 0 ? late : other.late);
        }
    }

    /**
     * @param owned the partitions of this process
     * @param room for outputs: while it is full, nothing fires
     * @param perSecond how many timers may fire in a second, when many are overdue; 0 if none may
     */
    public Timers(
            TimerStore store,
            Supplier<? extends Collection<TopicPartition>> owned,
            OutputRoom room,
            int perSecond,
            Ticker ticker,
            InstantSource clock) {
        this.store = store;
        this.owned = owned;
        this.room = room;
        this.perSecond = perSecond;
        this.ticker = ticker;
        this.clock = clock;
        this.start = ticker.nanoTime();
    }

    /** Looks if a timer may be due. Cheap otherwise, so call it every few milliseconds. */
    public boolean turn() {
        long now = now();
        if (now < nextLook && now < nextSet.get()) {
            return false;
        }
        int most = mostAt(now);
        boolean isRoom = room.isOpen();
        if (most == 0 || (!isRoom && now - lastLook < LOOK_EVERY) || !hasPartitions(now)) {
            return false;
        }
        nextSet.set(Long.MAX_VALUE); // before the look: what is set from now on may be missed by it
        lastLook = now;
        nextLook = now + LOOK_EVERY;
        Look look;
        try {
            look = store.fire(partitions, isRoom ? most : 0); // without room: what waits
        } catch (UnavailableException e) {
            outage.failed(e);
            return false;
        }
        outage.over();
        room.saved(look.firings());
        @Nullable Duration next = look.next();
        if (next != null) {
            nextLook = Math.min(nextLook, now() + Math.max(SOON, nanos(next)));
        }
        seen = new Seen(seen.fired + look.firings().size(), now(), next);
        return false;
    }

    /**
     * Looks up the partitions once a second. Those of a second ago do no harm: a timer fires once,
     * whoever fires it.
     */
    private boolean hasPartitions(long now) {
        if (now >= nextPartitions) {
            nextPartitions = now + LOOK_EVERY;
            partitions = List.copyOf(owned.get());
        }
        if (partitions.isEmpty()) {
            seen = new Seen(seen.fired, now, null);
        }
        return !partitions.isEmpty();
    }

    /** How many may fire at this time, after the last look. */
    private int mostAt(long now) {
        double seconds = (double) (now - lastLook) / TimeUnit.SECONDS.toNanos(1);
        return (int) Math.min(AT_ONCE, perSecond * Math.min(1, seconds));
    }

    /** Timers that a save of this process has set or ended. */
    public void set(List<Timer> timers) {
        for (Timer timer : timers) {
            if (timer.set() != null) {
                Duration in = Duration.between(clock.instant(), timer.set().dueAt());
                long at = now() + Math.max(0, nanos(in));
                nextSet.accumulateAndGet(at, Math::min);
            }
        }
    }

    /** Longer ones do not matter, and might not fit. */
    private static long nanos(Duration in) {
        return in.compareTo(Duration.ofNanos(LOOK_EVERY)) > 0
                ? LOOK_EVERY
                : in.compareTo(Duration.ofSeconds(-1)) < 0 ? -1 : in.toNanos();
    }

    /** Nanoseconds since this object was made. */
    private long now() {
        return ticker.nanoTime() - start;
    }

    /** Also while nothing fires: then the next one is later and later. */
    public Status status() {
        Seen last = seen;
        Duration late =
                last.next == null || perSecond == 0
                        ? Duration.ZERO
                        : Duration.ofNanos(now() - last.at).minus(last.next);
        return new Status(last.fired, late.isNegative() ? Duration.ZERO : late);
    }
}
