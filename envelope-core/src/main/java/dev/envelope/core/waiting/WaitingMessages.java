package dev.envelope.core.waiting;

import dev.envelope.core.api.Message;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue of messages, which wait in slabs. The slab that was written last stays here, also when
 * nothing waits.
 *
 * <p>Threads: one thread adds, another one takes. What was added is handed over by the count of it.
 */
public final class WaitingMessages {

    private final Slabs slabs;
    private @Nullable Slab last; // whoever adds
    private long added; // whoever adds
    private @Nullable Slab first; // whoever takes; set with the first slab of all
    private long taken; // whoever takes
    private volatile long handedOver;

    /**
     * @param slabs those of the process
     */
    public WaitingMessages(Slabs slabs) {
        this.slabs = slabs;
    }

    /**
     * Adds messages, in order.
     *
     * @param asBytes whether they become bytes
     */
    public void add(List<Message> messages, boolean asBytes) {
        Slab slab = last;
        if (slab == null) {
            slab = slabs.take();
            first = slab;
        }
        for (int i = 0; i < messages.size(); i++) {
            Message message = messages.get(i);
            if (!slab.add(message, asBytes)) {
                Slab next = slabs.take();
                slab.endsWith(next);
                slab = next;
                slab.add(message, asBytes); // an empty one has room for any
            }
        }
        last = slab;
        added += messages.size();
        handedOver = added;
    }

    /** Takes the next message in order; null when nothing waits. */
    public @Nullable Message next() {
        if (!isWaiting()) {
            return null;
        }
        Slab slab = Objects.requireNonNull(first);
        if (slab.isTakenOut()) {
            Slab next = Objects.requireNonNull(slab.next);
            slabs.giveBack(slab);
            first = next;
            slab = next;
        }
        taken++;
        return slab.take();
    }

    /** Whoever takes: whether a message waits. */
    public boolean isWaiting() {
        return taken != handedOver;
    }
}
