package dev.envelope.integration.simulation;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.core.membership.Slots;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.slot.SlotSessions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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

    private final Scene world;
    private final SlotPlan plan;
    private final List<Open> sessions = new ArrayList<>();

    SimSlots(Scene world, SlotPlan plan) {
        this.world = world;
        this.plan = plan;
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
        return new SimSlots(world, new SlotPlan(count, isToHeal ? count : some, TIMEOUT));
    }

    SlotPlan plan() {
        return plan;
    }

    int count() {
        return plan.count();
    }

    void begin() {
        world.scheduler()
                .after(
                        LOOK_NANOS,
                        () -> {
                            endSilentOnes();
                            begin();
                        });
    }

    private void endSilentOnes() {
        long before = world.scheduler().now() - TIMEOUT.toNanos();
        if (sessions.removeIf(it -> it.asked < before)) {
            world.faults().landed(Fault.SLOT_LOST);
        }
    }

    /** What is its, of the production class. */
    SlotLocks locks(SimProcess process) {
        return new SlotLocks(new Sessions(process), plan, world.scheduler()::now);
    }

    /** Its connections are closed by its host. */
    void ended(SimProcess process) {
        sessions.removeIf(it -> it.process == process);
    }

    /** Looks whether it counts on something that the database has given to another process. */
    Slots watched(SimProcess process, Slots slots) {
        return new ForwardingSlots(slots) {

            @Override
            public Map<Integer, Long> held() {
                Map<Integer, Long> held = super.held();
                for (Open session : sessions) {
                    for (int slot : held.keySet()) {
                        if (session.process != process && session.locked.contains(slot)) {
                            process.failed(
                                    "slot-shared",
                                    "%s counts on slot %d, which %s has"
                                            .formatted(
                                                    process.name(), slot, session.process.name()));
                        }
                    }
                }
                return held;
            }
        };
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
        public Session open() {
            Open opened = new Open(process);
            travels(process);
            opened.asked = world.scheduler().now();
            sessions.add(opened);
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
        private final Set<Integer> locked = new TreeSet<>();
        private long asked;

        Open(SimProcess process) {
            this.process = process;
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
        public List<SlotSessions.Lock> locks() {
            asks();
            List<SlotSessions.Lock> locks = new ArrayList<>();
            for (Open session : sessions) {
                String name = session.process.name();
                boolean isOurs = session == this;
                locks.add(new SlotSessions.Lock(SlotSessions.Lock.PRESENCE, name, isOurs));
                session.locked.forEach(it -> locks.add(new SlotSessions.Lock(it, name, isOurs)));
            }
            return locks;
        }

        @Override
        public boolean tryLock(int slot) {
            asks();
            if (sessions.stream().anyMatch(it -> it != this && it.locked.contains(slot))) {
                return false;
            }
            locked.add(slot);
            return true;
        }

        @Override
        public void close() {
            sessions.remove(this);
        }
    }
}
