package dev.envelope.idempotency.slot;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.background.Outage;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.core.membership.Slots;
import dev.envelope.idempotency.store.slot.SlotSessions;
import dev.envelope.idempotency.store.slot.SlotSessions.Lock;
import dev.envelope.idempotency.store.slot.SlotSessions.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
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
 * timeout; the process stops counting on it before that, by its own clock. How many slots there are
 * is what the database has recorded, which a {@link Fleet} may change.
 *
 * <p>Threads: one thread calls {@link #turn} and {@link #close}; any thread the rest (volatile
 * references).
 */
public final class SlotLocks implements Slots, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SlotLocks.class);
    private static final long SECOND = 1_000_000_000;
    private static final long RETRY_NANOS = 50_000_000;
    private static final long MOVE_NANOS = 100_000_000;
    private static final long MOST_RETRY_NANOS = SECOND / 2;
    private static final long NONE_RECORDED = -1;
    private static final String NOT_READING =
            "the brokers do not answer, or the poll loop does not go round";

    private final SlotPlan plan;
    private final SlotSessions sessions;
    private final LongSupplier nanoTime;
    private final Outage outage = new Outage(log, "holding slots");
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private @Nullable Session session; // as the next two its thread's
    private long tenures = NONE_RECORDED; // so many there were
    private Retry retry = Retry.NONE;
    private volatile Tenancy tenancy;
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
     * @param change how far a change of their number has come, as a sentence; empty without one
     */
    public record Seen(
            int count, List<Holder> holders, List<String> waiting, String trouble, String change) {

        public Seen {
            holders = List.copyOf(holders);
            waiting = List.copyOf(waiting);
        }

        /** What is not known, since something is wrong. */
        static Seen nothing(int count, String trouble) {
            return new Seen(count, List.of(), List.of(), trouble, "");
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

    /**
     * What is held, and when a statement was sent that has confirmed it.
     *
     * @param isIn whether it may take slots of the present number
     */
    private record Tenancy(Held held, boolean isIn, long confirmedAt) {

        static Tenancy none(int count) {
            return new Tenancy(Held.none(count), false, 0);
        }
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
    private record Reading(long at, int partitions) {}

    public SlotLocks(SlotSessions sessions, SlotPlan plan, LongSupplier nanoTime) {
        this.plan = plan;
        this.sessions = sessions;
        this.nanoTime = nanoTime;
        this.tenancy = Tenancy.none(plan.count());
        this.seen = Seen.nothing(plan.count(), NOT_READING);
    }

    /** How many there may be. */
    public int most() {
        return plan.most();
    }

    /** For eight tenths of the timeout: what begins within ends before others take the slots. */
    @Override
    public Held held() {
        Tenancy present = tenancy;
        long goodFor = plan.timeout().toNanos() / 10 * 8;
        boolean isGood = nanoTime.getAsLong() - present.confirmedAt() < goodFor;
        return isGood ? present.held() : Held.none(present.held().count());
    }

    @Override
    public void isReading(int partitions) {
        reading = new Reading(nanoTime.getAsLong(), partitions);
    }

    @Override
    public void onChange(Runnable changed) {
        listeners.add(changed);
    }

    /** What it saw last. */
    public Seen seen() {
        return seen;
    }

    /** Confirms what it holds, and takes more; returns whether there is more to do at once. */
    public boolean turn() {
        long now = nanoTime.getAsLong();
        try {
            if (!isReading(now)) {
                lose(NOT_READING);
            } else if (isDue(now) || tryTake()) {
                boolean more = look(now);
                outage.over();
                retry = Retry.NONE;
                return more;
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

    /** Whether it is time to look at all locks. */
    private boolean isDue(long now) {
        if (retry.failures() > 0) {
            return now - retry.at() >= 0;
        }
        Tenancy present = tenancy;
        boolean isChange = plan.isChange() && present.held().count() == plan.from();
        long pause = Math.min(isChange ? MOVE_NANOS : SECOND, plan.timeout().toNanos() / 10);
        return !present.isIn() || now - present.confirmedAt() >= pause;
    }

    /** In between it only tries to lock what it has not, which costs the server next to nothing. */
    private boolean tryTake() {
        Session open = session;
        Tenancy present = tenancy;
        if (open == null
                || !present.isIn()
                || retry.failures() > 0
                || present.held().slots().size() >= plan.perProcess()) {
            return false;
        }
        List<Integer> wanted = inOrder(present.held().count());
        wanted.removeAll(present.held().slots().keySet());
        return !wanted.isEmpty() && open.tryAny(wanted).isPresent();
    }

    /** Returns whether it has to look again at once. */
    private boolean look(long now) {
        Session open = session;
        if (open == null) {
            open = sessions.open(plan);
            session = open;
        }
        Fleet fleet = new Fleet(plan, open.look());
        if (fleet.count() == 0) {
            if (tenures != NONE_RECORDED) { // it was: somebody has stopped dividing by slots
                throw new UnavailableException(
                        "no number of slots is recorded any more; a process that is started with"
                                + " assignment=slots records it");
            }
            open.record(0, plan.count());
            return true;
        }
        tenures = Math.max(tenures, 0);
        if (!plan.accepts(fleet.count())) {
            throw new UnavailableException(fleet.refusal());
        }
        boolean goesOn = false;
        if (fleet.isToMove()) {
            leave(fleet, now);
            open.unlock();
            goesOn = tryMove(open, fleet);
        } else if (!fleet.isIn()) {
            leave(fleet, now);
            open.unlock();
            goesOn = open.tryShare(Lock.countsOn(fleet.count()));
        } else {
            List<Integer> ours = ours(fleet);
            take(open, fleet, ours);
            boolean isNew = !tenancy.held().slots().keySet().containsAll(ours);
            int generation = isNew ? open.generation() : tenancy.held().generation();
            hold(fleet, generation, ours, now);
        }
        see(fleet);
        return goesOn;
    }

    /** Records the new number, unless somebody counts on the old one. */
    private boolean tryMove(Session open, Fleet fleet) {
        if (fleet.isCountedOn() || !open.tryLock(Lock.countsOn(fleet.count()))) {
            return false;
        }
        open.record(plan.from(), plan.count());
        open.unlock();
        return true;
    }

    private static List<Integer> ours(Fleet fleet) {
        return new ArrayList<>(
                fleet.look().locks().stream()
                        .filter(it -> it.isOurs() && it.isOfSlot())
                        .map(Lock::number)
                        .toList());
    }

    private void take(Session open, Fleet fleet, List<Integer> ours) {
        List<Integer> free = inOrder(fleet.count());
        fleet.look().locks().forEach(it -> free.remove((Integer) it.number()));
        while (ours.size() < plan.perProcess() && !free.isEmpty()) {
            OptionalInt taken = open.tryAny(free);
            if (taken.isEmpty()) {
                return;
            }
            ours.add(taken.getAsInt());
            free.remove((Integer) taken.getAsInt());
        }
    }

    /** Each process begins at another one, so that they don't all try the same. */
    private List<Integer> inOrder(int count) {
        int useful = useful(count);
        List<Integer> order = new ArrayList<>(useful);
        int first = useful == 0 ? 0 : Math.floorMod(sessions.instance().hashCode(), useful);
        for (int i = 0; i < useful; i++) {
            order.add((first + i) % useful);
        }
        return order;
    }

    /** How many slots of so many have partitions. */
    private int useful(int count) {
        Reading last = reading;
        return last == null ? count : Math.min(last.partitions(), count);
    }

    /** Counts on nothing from now on. */
    private void leave(Fleet fleet, long now) {
        boolean hasHeld = !tenancy.held().slots().isEmpty();
        tenancy = new Tenancy(Held.none(fleet.count()), false, now);
        if (hasHeld) {
            log.info("gives its slots up, of {}", fleet.count());
            listeners.forEach(Runnable::run);
        }
    }

    private void hold(Fleet fleet, int generation, List<Integer> slots, long asked) {
        Map<Integer, Long> before = tenancy.held().slots();
        Map<Integer, Long> now = new TreeMap<>();
        for (int slot : slots) {
            @Nullable Long tenure = before.get(slot);
            now.put(slot, tenure == null ? ++tenures : tenure);
        }
        boolean isFirst = !tenancy.isIn();
        tenancy = new Tenancy(new Held(fleet.count(), now, generation), true, asked);
        if (!now.equals(before) || isFirst) {
            log.info(
                    "holds {} of {} slots: {}",
                    now.size(),
                    fleet.count(),
                    now.isEmpty() ? "it waits for one that is free" : now.keySet());
            listeners.forEach(Runnable::run);
        }
    }

    private void lose(String why) {
        Held before = tenancy.held();
        giveUp();
        if (!before.slots().isEmpty()) {
            log.warn("has lost slots {}: {}", before.slots().keySet(), why);
            listeners.forEach(Runnable::run);
        }
        seen = Seen.nothing(before.count(), why);
    }

    private void giveUp() {
        tenancy = Tenancy.none(tenancy.held().count());
        Session open = session;
        session = null;
        if (open != null) {
            open.close();
        }
    }

    private void see(Fleet fleet) {
        List<Lock> locks = fleet.look().locks();
        Map<Integer, Holder> holders = new TreeMap<>();
        locks.stream()
                .filter(Lock::isOfSlot)
                .filter(it -> !it.isOurs())
                .forEach(
                        it ->
                                holders.put(
                                        it.number(),
                                        new Holder(it.number(), it.instance(), false)));
        tenancy.held()
                .slots()
                .keySet()
                .forEach(it -> holders.put(it, new Holder(it, sessions.instance(), true)));
        Set<String> holding =
                holders.values().stream().map(Holder::instance).collect(Collectors.toSet());
        List<String> waiting =
                locks.stream()
                        .filter(Lock::isPresence)
                        .map(Lock::instance)
                        .filter(it -> !holding.contains(it))
                        .sorted()
                        .toList();
        String change = fleet.change();
        if (!change.equals(seen.change()) && !change.isEmpty()) {
            log.info(change);
        }
        seen = new Seen(useful(fleet.count()), List.copyOf(holders.values()), waiting, "", change);
    }

    /** Gives all slots up. */
    @Override
    public void close() {
        giveUp();
    }
}
