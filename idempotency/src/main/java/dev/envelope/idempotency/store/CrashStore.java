package dev.envelope.idempotency.store;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import java.util.Collection;
import java.util.List;

/**
 * What was being folded when processes died, and how often in a row.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when nobody knows what happened.
 */
public interface CrashStore {

    /** Remembers nothing. */
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
     * A message that a process died of, or beside.
     *
     * @param times in a row
     */
    record Suspect(int source, long offset, int times) {}

    /** All that are not done yet. */
    List<Suspect> suspects();

    /** Counts once more for each of these. */
    void count(Collection<Message> messages);

    /**
     * Raises what is counted for a message to this. Nobody knows whether it was done whose reply is
     * lost: done twice, it counts once.
     */
    void countUpTo(Message message, int times);

    /** It was folded and the process lives. */
    void forget(Message message);
}
