package dev.envelope.idempotency.store.slot;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.membership.SlotPlan;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;

/**
 * Sessions of the database in which slots can be locked. The database ends a session that is silent
 * for the timeout, and with it its locks.
 *
 * <p>Threads: one thread; may block, for less than that timeout; every method throws {@link
 * UnavailableException}.
 */
public interface SlotSessions {

    /** The name under which this process is shown. */
    String instance();

    /** A new session, which is present and has no slot. */
    Session open(SlotPlan plan);

    /** One session. */
    interface Session extends AutoCloseable {

        /** How many slots there are, who is present, and who has which lock. */
        Look look();

        /** Locks the first of these slots that no other session has. */
        OptionalInt tryAny(List<Integer> slots);

        /** Locks a number that is no slot, unless another session has it or shares it. */
        boolean tryLock(int number);

        /** Shares a number with others, unless one has locked it. */
        boolean tryShare(int number);

        /** A number that is greater than any that a session of this database has got before. */
        int generation();

        /** Gives up all but its presence. */
        void unlock();

        /**
         * Records how many slots there are, unless something else is recorded by now.
         *
         * @param before what is recorded; 0 if nothing is
         */
        void record(int before, int count);

        /** Ends the session, and so gives its locks up. Throws nothing. */
        @Override
        void close();
    }

    /**
     * What a session has seen.
     *
     * @param count how many slots there are, as is recorded; 0 if nothing is
     * @param since when that was recorded
     */
    record Look(int count, Instant since, List<Lock> locks) {

        public Look {
            locks = List.copyOf(locks);
        }
    }

    /**
     * Something that a session has.
     *
     * @param number a slot; or one below 0: {@link #countsOn}, {@link #presence}
     * @param instance the name of its process; empty if it is not shown
     * @param isOurs whether it is of the session that asks
     */
    record Lock(int number, String instance, boolean isOurs) {

        private static final int PRESENCE = -10_000;
        private static final int PLANS = 5_000;

        /** What all share that may hold one of so many slots. */
        public static int countsOn(int slots) {
            return -1 - slots;
        }

        /** What all share that are present with this plan. */
        public static int presence(SlotPlan plan) {
            return PRESENCE - plan.from() * PLANS - plan.count();
        }

        public boolean isOfSlot() {
            return number >= 0;
        }

        public boolean isPresence() {
            return number <= PRESENCE;
        }

        /** How many slots there are to be, in the plan of one who is present. */
        public int wanted() {
            return (PRESENCE - number) % PLANS;
        }
    }
}
