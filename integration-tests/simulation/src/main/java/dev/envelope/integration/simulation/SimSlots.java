package dev.envelope.integration.simulation;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.core.membership.Slots;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.slot.SlotSessions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Slots, in the seeds where no group divides the partitions: the database's sessions and their
 * locks. It ends a session that is silent, as that of a process that stands still, and some break.
 *
 * <p>Threads: one thread.
 */
final class SimSlots {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final long LOOK_NANOS = 20_000_000;
    private static final int ONE_BREAKS_IN = 400;
    private static final int ONE_SEED_IN = 6;

    private static final long ROLL_AFTER = 2_300_000_000L;
    private static final long ROLL_EVERY = 300_000_000;

    private final Scene world;
    private final List<SlotPlan> plans = new ArrayList<>(); // those of later processes behind it
    private final Map<SimProcess, SlotPlan> processes = new LinkedHashMap<>(); // that are alive
    private final List<Open> sessions = new ArrayList<>();
    private final Set<SimProcess> unaware = new HashSet<>(); // whose session a restart has ended
    private int recorded;
    private int generations;

    /**
     * @param others to what numbers of slots its processes are rolled, one after the other
     */
    SimSlots(Scene world, SlotPlan first, List<Integer> others) {
        this.world = world;
        plans.add(first);
        for (int count : others) {
            int from = plans.get(plans.size() - 1).count();
            plans.add(new SlotPlan(count, from, first.perProcess(), TIMEOUT));
        }
    }

    /**
     * Those of a world; null in most. What it draws from is no random number, so that the others
     * tell what they would without it.
     *
     * @param isToHeal whether any process has to be able to do all
     */
    static @Nullable SimSlots of(World world, boolean isToHeal) {
        int drawn = world.settings().toString().hashCode();
        if (Math.floorMod(drawn, ONE_SEED_IN) != 0) {
            return null;
        }
        int count = 1 + Math.floorMod(drawn / ONE_SEED_IN, 4);
        int some = 1 + Math.floorMod(drawn / 100, count);
        List<Integer> others = new ArrayList<>();
        if (Math.floorMod(drawn / 1_000, 2) == 0) {
            others.add(1 + Math.floorMod(drawn / 2_000, 5));
            if (Math.floorMod(drawn / 10_000, 2) == 0) {
                others.add(count);
            }
        }
        int all = Math.max(count, others.stream().mapToInt(it -> it).max().orElse(0));
        return new SimSlots(world, new SlotPlan(count, isToHeal ? all : some, TIMEOUT), others);
    }

    SlotPlan first() {
        return plans.get(0);
    }

    /** That of a process, by when it is started. */
    SlotPlan plan(SimProcess process) {
        return processes.computeIfAbsent(
                process, any -> plans.get((int) Math.min(plans.size() - 1, stage())));
    }

    private long stage() {
        return world.scheduler().now() / ROLL_AFTER;
    }

    /** The most slots that there may be. */
    int most() {
        return plans.stream().mapToInt(SlotPlan::most).max().orElse(1);
    }

    int recorded() {
        return recorded;
    }

    /** All sessions are over, which their processes find out by and by. */
    void restarted() {
        sessions.forEach(it -> unaware.add(it.process));
        sessions.clear();
    }

    /** The database does not know what was recorded since. */
    void wentBack(int to) {
        restarted();
        recorded = to;
    }

    /**
     * @param replace ends a process, and starts another in its place
     */
    void begin(Consumer<SimProcess> replace) {
        world.every(LOOK_NANOS, this::endSilentOnes);
        if (plans.size() > 1) {
            world.every(ROLL_EVERY, () -> roll(replace));
        }
    }

    /** A process with a former plan is replaced by one with the present. */
    private void roll(Consumer<SimProcess> replace) {
        processes.keySet().removeIf(SimProcess::isDead);
        SlotPlan present = present();
        processes.entrySet().stream()
                .filter(it -> !it.getValue().equals(present))
                .map(Map.Entry::getKey)
                .findFirst()
                .ifPresent(replace);
    }

    private SlotPlan present() {
        long stage = world.scheduler().now() / ROLL_AFTER;
        return plans.get((int) Math.min(plans.size() - 1, stage));
    }

    private void endSilentOnes() {
        long before = world.scheduler().now() - TIMEOUT.toNanos();
        if (sessions.removeIf(it -> it.asked < before)) {
            world.faults().landed(Fault.SLOT_LOST);
        }
    }

    /** What is its, of the production class. */
    SlotLocks locks(SimProcess process, UnaryOperator<SlotSessions> wiring) {
        return new SlotLocks(
                wiring.apply(new Sessions(process)), plan(process), world.scheduler()::now);
    }

    /** Its connections are closed by its host. */
    void ended(SimProcess process) {
        sessions.removeIf(it -> it.process == process);
    }

    /** Looks whether it counts on something that the database has given to another process. */
    Slots watched(SimProcess process, Slots slots) {
        return new ForwardingSlots(slots) {

            @Override
            public Held held() {
                Held held = super.held();
                if (!unaware.contains(process)) {
                    sessions.stream()
                            .filter(it -> it.process != process)
                            .forEach(it -> look(held, it));
                }
                return held;
            }

            private void look(Held held, Open other) {
                int among = other.count();
                for (int theirs : other.slots()) {
                    for (int slot : held.slots().keySet()) {
                        if (Math.floorMod(slot - theirs, divisor(held.count(), among)) == 0) {
                            process.failed(
                                    "slot-shared",
                                    "%s counts on slot %d of %d, and %s has %d of %d"
                                            .formatted(
                                                    process.name(),
                                                    slot,
                                                    held.count(),
                                                    other.process.name(),
                                                    theirs,
                                                    among));
                        }
                    }
                }
            }
        };
    }

    /** Slots of two numbers have partitions in common if they are equal modulo this. */
    private static int divisor(int one, int other) {
        return other == 0 ? one : divisor(other, one % other);
    }

    private final class Sessions implements SlotSessions {

        private final SimProcess process;

        Sessions(SimProcess process) {
            this.process = process;
        }

        @Override
        public String instance() {
            return process.name();
        }

        @Override
        public Session open(SlotPlan plan) {
            Open opened = new Open(process, SlotSessions.Lock.presence(plan));
            travels(process);
            opened.asked = world.scheduler().now();
            sessions.add(opened);
            unaware.remove(process);
            return opened;
        }
    }

    private void travels(SimProcess process) {
        process.gate();
        world.scheduler().block(50_000L + world.random().nextInt(2_000_000));
        process.gate();
    }

    private final class Open implements SlotSessions.Session {

        private final SimProcess process;
        private final int presence;
        private final Set<Integer> locked = new TreeSet<>();
        private final Set<Integer> shared = new TreeSet<>();
        private long asked;

        Open(SimProcess process, int presence) {
            this.process = process;
            this.presence = presence;
        }

        private List<Integer> slots() {
            return locked.stream().filter(it -> it >= 0).toList();
        }

        /** How many slots there are for who has this session. */
        private int count() {
            return shared.stream().mapToInt(it -> -1 - it).findFirst().orElse(1);
        }

        /** The statement arrives, if the session is there. */
        private void asks() {
            travels(process);
            boolean breaks =
                    !world.faults().areOver() && world.random().nextInt(ONE_BREAKS_IN) == 0;
            if (breaks && sessions.remove(this)) {
                world.faults().landed(Fault.SLOT_LOST);
            }
            if (!sessions.contains(this)) {
                throw new UnavailableException("the session is over");
            }
            asked = world.scheduler().now();
        }

        @Override
        public SlotSessions.Look look() {
            asks();
            List<SlotSessions.Lock> locks = new ArrayList<>();
            for (Open session : sessions) {
                String name = session.process.name();
                boolean isOurs = session == this;
                locks.add(new SlotSessions.Lock(session.presence, name, isOurs));
                session.locked.forEach(it -> locks.add(new SlotSessions.Lock(it, name, isOurs)));
                session.shared.forEach(it -> locks.add(new SlotSessions.Lock(it, name, isOurs)));
            }
            return new SlotSessions.Look(recorded, Instant.EPOCH, locks);
        }

        @Override
        public OptionalInt tryAny(List<Integer> slots) {
            asks();
            for (int slot : slots) {
                if (others().noneMatch(it -> it.locked.contains(slot))) {
                    locked.add(slot);
                    return OptionalInt.of(slot);
                }
            }
            return OptionalInt.empty();
        }

        private Stream<Open> others() {
            return sessions.stream().filter(it -> it != this);
        }

        @Override
        public boolean tryLock(int number) {
            asks();
            boolean isFree = others().noneMatch(it -> it.has(number));
            if (isFree) {
                locked.add(number);
            }
            return isFree;
        }

        private boolean has(int number) {
            return locked.contains(number) || shared.contains(number);
        }

        @Override
        public boolean tryShare(int number) {
            asks();
            boolean isFree = others().noneMatch(it -> it.locked.contains(number));
            if (isFree) {
                shared.add(number);
            }
            return isFree;
        }

        @Override
        public int generation() {
            asks();
            return ++generations;
        }

        @Override
        public void unlock() {
            asks();
            locked.clear();
            shared.clear();
        }

        @Override
        public void record(int before, int count) {
            asks();
            if (recorded == before) {
                if (before != 0) {
                    world.faults().landed(Fault.SLOTS_CHANGED);
                }
                recorded = count;
            }
        }

        @Override
        public void close() {
            sessions.remove(this);
        }
    }
}
