package dev.envelope.core.waiting;

import org.jspecify.annotations.Nullable;

/**
 * The slabs of a process that are not in use, the last that was given back first. There are never
 * more than were in use at a time, and these are bounded by what may be fetched ahead.
 *
 * <p>Threads: guarded by this.
 */
public class Slabs {

    private @Nullable Slab free;

    /** A slab without messages. */
    synchronized Slab take() {
        Slab slab = free;
        if (slab == null) {
            return new Slab();
        }
        free = slab.next;
        slab.next = null;
        return slab;
    }

    /** Nobody looks at this slab any more. */
    synchronized void giveBack(Slab slab) {
        slab.clear();
        slab.next = free;
        free = slab;
    }
}
