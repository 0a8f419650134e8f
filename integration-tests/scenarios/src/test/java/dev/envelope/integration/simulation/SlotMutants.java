package dev.envelope.integration.simulation;

import dev.envelope.core.membership.SlotPlan;
import dev.envelope.idempotency.store.slot.SlotSessions;
import java.util.List;
import java.util.OptionalInt;

/** A wiring that changes the number of slots in a way that is wrong. */
final class SlotMutants {

    private SlotMutants() {}

    /** Whether anybody counts on the former number is not asked. */
    static final TableWiring CHANGED_UNASKED =
            new TableWiring() {
                @Override
                public SlotSessions slotSessions(SlotSessions sessions) {
                    return new Unasked(sessions);
                }
            };

    private record Unasked(SlotSessions sessions) implements SlotSessions {

        @Override
        public String instance() {
            return sessions.instance();
        }

        @Override
        public Session open(SlotPlan plan) {
            return new UnaskedSession(sessions.open(plan));
        }
    }

    private record UnaskedSession(SlotSessions.Session session) implements SlotSessions.Session {

        @Override
        public SlotSessions.Look look() {
            SlotSessions.Look look = session.look();
            int shared = SlotSessions.Lock.countsOn(look.count());
            List<SlotSessions.Lock> locks =
                    look.locks().stream()
                            .filter(it -> it.isOurs() || it.number() != shared)
                            .toList();
            return new SlotSessions.Look(look.count(), look.since(), locks);
        }

        @Override
        public OptionalInt tryAny(List<Integer> slots) {
            return session.tryAny(slots);
        }

        @Override
        public boolean tryLock(int number) {
            return true;
        }

        @Override
        public boolean tryShare(int number) {
            return session.tryShare(number);
        }

        @Override
        public int generation() {
            return session.generation();
        }

        @Override
        public void unlock() {
            session.unlock();
        }

        @Override
        public void record(int before, int count) {
            session.record(before, count);
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
