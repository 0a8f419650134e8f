package dev.envelope.idempotency.slot;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.background.Outage;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.core.membership.Slots;
import dev.envelope.idempotency.store.slot.SlotSessions;
import dev.envelope.idempotency.store.slot.SlotSessions.Lock;
import dev.envelope.idempotency.store.slot.SlotSessions.Session;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots of a process, and its part in taking them: who is there takes what is free, and holds
 * it until it ends or is out of touch. The database ends a session that was silent for the plan's
 * timeout; the process stops counting on it before that, by its own clock.
 *
 * <p>Threads: one thread calls {@link #turn} and {@link #close}; any thread the rest (volatile
 * references).
 */
public final class SlotLocks implements Slots, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SlotLocks.class);
    private static final long SECOND = 1_000_000_000;
    private static final long RETRY_NANOS = 50_000_000;
    private static final long MOST_RETRY_NANOS = 2 * SECOND;
    private static final String NOT_READING =
            "the brokers do not answer, or the poll loop does not go round";

    private final SlotPlan plan;
    private final SlotSessions sessions;
    private final LongSupplier nanoTime;
    private final Outage outage = new Outage(log, "holding slots");
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private @Nullable Session session; // as the next two its thread's
    private long tenures;
    private Retry retry = Retry.NONE;
    private volatile Tenancy tenancy = Tenancy.NONE;
    private volatile @Nullable Reading reading;
    private volatile Seen seen;

    /**
     * Who holds a slot.
     *
     * @param instance the name of the process; empty if the database does not show it
     */
    public record Holder(int slot, String instance, boolean isOurs) {}

    /**
     * What was seen last.
     *
     * @param count how many slots there are that have partitions
     * @param holders by slot; one that nobody holds is missing
     * @param waiting the names of processes that hold none
     * @param trouble why this process can't hold one; empty if it can
     */
    public record Seen(int count, List<Holder> holders, List<String> waiting, String trouble) {

        public Seen {
            holders = List.copyOf(holders);
            waiting = List.copyOf(waiting);
        }

        /** What is not known, since something is wrong. */
        static Seen nothing(int count, String trouble) {
            return new Seen(count, List.of(), List.of(), trouble);
        }

        /** Whether it says nothing about others. */
        public boolean isUnknown() {
            return !trouble.isEmpty();
        }

        /** The slots that nobody holds, as far as that is known. */
        public List<Integer> free() {
            if (isUnknown()) {
                return List.of();
            }
            Set<Integer> taken = holders.stream().map(Holder::slot).collect(Collectors.toSet());
            return IntStream.range(0, count).filter(it -> !taken.contains(it)).boxed().toList();
        }
    }

    /** What is held, and when a statement was sent that has confirmed it. */
    private record Tenancy(Map<Integer, Long> held, long confirmedAt) {
        static final Tenancy NONE = new Tenancy(Map.of(), 0);
    }

    /** After how many failures in a row it tries again, and when. */
    private record Retry(int failures, long at) {
        static final Retry NONE = new Retry(0, 0);

        Retry next(long now) {
            long wait = Math.min(RETRY_NANOS << Math.min(failures, 10), MOST_RETRY_NANOS);
            return new Retry(failures + 1, now + wait);
        }
    }

    /** What the poll thread has said last. */
    private record Reading(long at, int useful) {}

    public SlotLocks(SlotSessions sessions, SlotPlan plan, LongSupplier nanoTime) {
        this.plan = plan;
        this.sessions = sessions;
        this.nanoTime = nanoTime;
        this.seen = Seen.nothing(plan.count(), NOT_READING);
    }

    @Override
    public int count() {
        return plan.count();
    }

    /** For eight tenths of the timeout: what begins within ends before others take the slots. */
    @Override
    public Map<Integer, Long> held() {
        Tenancy present = tenancy;
        long goodFor = plan.timeout().toNanos() / 10 * 8;
        boolean isGood = nanoTime.getAsLong() - present.confirmedAt() < goodFor;
        return isGood ? present.held() : Map.of();
    }

    @Override
    public void isReading(int useful) {
        reading = new Reading(nanoTime.getAsLong(), useful);
    }

    @Override
    public void onChange(Runnable changed) {
        listeners.add(changed);
    }

    /** What it saw last. */
    public Seen seen() {
        return seen;
    }

    /** Confirms what it holds, and takes more; returns false, for it has nothing to do at once. */
    public boolean turn() {
        long now = nanoTime.getAsLong();
        try {
            if (!isReading(now)) {
                lose(NOT_READING);
            } else if (isDue(now)) {
                look(now);
                outage.over();
                retry = Retry.NONE;
            }
        } catch (UnavailableException e) {
            outage.failed(e);
            lose(String.valueOf(e.getMessage()));
            retry = retry.next(now);
        } catch (RuntimeException | Error e) { // a session in the middle of a statement is no use
            lose(String.valueOf(e));
            throw e;
        }
        return false;
    }

    /** Whether the poll thread goes round and the brokers answer. */
    private boolean isReading(long now) {
        Reading last = reading;
        return last != null && now - last.at() < plan.timeout().toNanos();
    }

    /** While it holds all that it may, it confirms that; otherwise it looks for more. */
    private boolean isDue(long now) {
        if (retry.failures() > 0) {
            return now - retry.at() >= 0;
        }
        Tenancy present = tenancy;
        return present.held().size() < plan.perProcess()
                || now - present.confirmedAt() >= Math.min(SECOND, plan.timeout().toNanos() / 10);
    }

    private void look(long now) {
        Session open = session;
        if (open == null) {
            open = sessions.open();
            session = open;
        }
        List<Lock> locks = new ArrayList<>(open.locks());
        Set<Integer> taken = locks.stream().map(Lock::slot).collect(Collectors.toSet());
        List<Integer> free = inOrder();
        free.removeAll(taken);
        long ours = locks.stream().filter(it -> it.isOurs() && it.isOfSlot()).count();
        for (int slot : free) {
            if (ours >= plan.perProcess()) {
                break;
            }
            if (open.tryLock(slot)) {
                locks.add(new Lock(slot, sessions.instance(), true));
                ours++;
            }
        }
        List<Lock> held = locks.stream().filter(it -> it.isOurs() && it.isOfSlot()).toList();
        hold(held.stream().map(Lock::slot).toList(), now);
        seen = seen(locks);
    }

    /** Each process begins at another one, so that they don't all try the same. */
    private List<Integer> inOrder() {
        int useful = useful();
        List<Integer> order = new ArrayList<>(useful);
        int first = useful == 0 ? 0 : Math.floorMod(sessions.instance().hashCode(), useful);
        for (int i = 0; i < useful; i++) {
            order.add((first + i) % useful);
        }
        return order;
    }

    /** How many slots have partitions. */
    private int useful() {
        Reading last = reading;
        return last == null ? plan.count() : Math.min(last.useful(), plan.count());
    }

    private void hold(Collection<Integer> slots, long asked) {
        Map<Integer, Long> before = tenancy.held();
        Map<Integer, Long> now = new TreeMap<>();
        for (int slot : slots) {
            @Nullable Long tenure = before.get(slot);
            now.put(slot, tenure == null ? ++tenures : tenure);
        }
        tenancy = new Tenancy(now, asked);
        if (!now.equals(before) || seen.isUnknown()) {
            log.info(
                    "holds {} of {} slots: {}",
                    now.size(),
                    plan.count(),
                    now.isEmpty() ? "it waits for one that is free" : now.keySet());
            listeners.forEach(Runnable::run);
        }
    }

    private void lose(String why) {
        Map<Integer, Long> before = tenancy.held();
        giveUp();
        if (!before.isEmpty()) {
            log.warn("has lost slots {}: {}", before.keySet(), why);
            listeners.forEach(Runnable::run);
        }
        seen = Seen.nothing(plan.count(), why);
    }

    private void giveUp() {
        tenancy = Tenancy.NONE;
        Session open = session;
        session = null;
        if (open != null) {
            open.close();
        }
    }

    private Seen seen(List<Lock> locks) {
        List<Holder> holders =
                locks.stream()
                        .filter(Lock::isOfSlot)
                        .map(it -> new Holder(it.slot(), it.instance(), it.isOurs()))
                        .sorted((one, other) -> Integer.compare(one.slot(), other.slot()))
                        .toList();
        Set<String> holding = holders.stream().map(Holder::instance).collect(Collectors.toSet());
        List<String> waiting =
                locks.stream()
                        .filter(it -> !it.isOfSlot())
                        .map(Lock::instance)
                        .filter(it -> !holding.contains(it))
                        .sorted()
                        .toList();
        return new Seen(useful(), holders, waiting, "");
    }

    /** Gives all slots up. */
    @Override
    public void close() {
        giveUp();
    }
}
