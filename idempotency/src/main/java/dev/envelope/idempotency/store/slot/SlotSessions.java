package dev.envelope.idempotency.store.slot;

import dev.envelope.core.api.UnavailableException;
import java.util.List;

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
    Session open();

    /** One session. */
    interface Session extends AutoCloseable {

        /** Who is present, and who has which slot. */
        List<Lock> locks();

        /** Locks a slot, unless another session has it. */
        boolean tryLock(int slot);

        /** Ends the session, and so gives its locks up. Throws nothing. */
        @Override
        void close();
    }

    /**
     * Something that a session has.
     *
     * @param slot or {@link #PRESENCE}
     * @param instance the name of its process; empty if it is not shown
     * @param isOurs whether it is of the session that asks
     */
    record Lock(int slot, String instance, boolean isOurs) {

        /** What all share that are present. */
        public static final int PRESENCE = -1;

        public boolean isOfSlot() {
            return slot != PRESENCE;
        }
    }
}
