package dev.envelope.core.waiting;

import dev.envelope.core.api.Message;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A queue of messages, which wait in slabs: as bytes, if those before them have waited for long.
 * The slab that was written last stays here, also when nothing waits.
 *
 * <p>Threads: one thread adds, another one takes. What was added is handed over by the count of it.
 */
public final class WaitingMessages {

    /** What waits for longer is likely to be copied by the garbage collector meanwhile. */
    private static final long LONG_NANOS = Duration.ofMillis(250).toNanos();

    private final Slabs slabs;
    private final AtomicLong taken = new AtomicLong(); // written by whoever takes
    private long takenAt; // written before it
    private final Waits waits = new Waits(); // whoever adds
    private @Nullable Slab last; // whoever adds
    private @Nullable Slab first; // whoever takes; set with the first slab of all
    private volatile long added; // written by whoever adds

    /** How long messages wait: from time to time one of them is watched until it is taken. */
    private static final class Waits {
        private long watched; // how many were added up to that message
        private long since;
        private boolean isLong;

        boolean areLong(long added, long taken, long takenAt, long now) {
            if (taken < watched) {
                isLong |= now - since > LONG_NANOS;
            } else {
                isLong = watched > 0 && takenAt - since > LONG_NANOS;
                watched = added + 1; // the next that is added
                since = now;
            }
            return isLong;
        }
    }

    /**
     * @param slabs those of the process
     */
    public WaitingMessages(Slabs slabs) {
        this.slabs = slabs;
    }

    /** Adds messages, in order. */
    public void add(List<Message> messages, long now) {
        long before = added;
        boolean asBytes = waits.areLong(before, taken.get(), takenAt, now);
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
        added = before + messages.size();
    }

    /** Takes the next message in order; null when nothing waits. */
    public @Nullable Message next(long now) {
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
        Message message = slab.take();
        takenAt = now;
        taken.lazySet(taken.get() + 1);
        return message;
    }

    /** Whoever takes: whether a message waits. */
    public boolean isWaiting() {
        return taken.get() != added;
    }
}
