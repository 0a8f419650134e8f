package dev.envelope.idempotency.store;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import java.util.Collection;
import java.util.List;

/**
 * The messages that were being folded when processes died, and how often in a row.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when the outcome is unknown.
 */
public interface CrashStore {

    /** A store that keeps nothing. */
    CrashStore NONE =
            new CrashStore() {
                @Override
                public List<Suspect> suspects() {
                    return List.of();
                }

                @Override
                public void count(Collection<Message> messages) {}

                @Override
                public void countUpTo(Message message, int times) {}

                @Override
                public void forget(Message message) {}
            };

    /**
     * A message that was being folded when a process died.
     *
     * @param times how often in a row
     */
    record Suspect(int source, long offset, int times) {}

    /** All suspects that are not done yet. */
    List<Suspect> suspects();

    /** Adds one to the count of each of these messages. */
    void count(Collection<Message> messages);

    /**
     * Raises the count of a message to this number. Repeating it, after a lost reply, changes
     * nothing.
     */
    void countUpTo(Message message, int times);

    /** Removes a message that was folded without killing the process. */
    void forget(Message message);
}
