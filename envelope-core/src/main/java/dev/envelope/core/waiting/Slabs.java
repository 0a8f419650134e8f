package dev.envelope.core.waiting;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The slabs that are not in use, the last that was given back first. There are no more of them than
 * are in use, but for a few: what a burst needed goes.
 *
 * <p>Threads: guarded by this.
 */
public class Slabs {

    private static final int A_FEW = 64;

    private @Nullable Slab free;
    private int used;
    private int unused;

    /** A slab without messages. */
    synchronized Slab take() {
        used++;
        Slab slab = free;
        if (slab == null) {
            return new Slab();
        }
        unused--;
        free = slab.next;
        slab.next = null;
        return slab;
    }

    /** Nobody looks at this slab any more. */
    synchronized void giveBack(Slab slab) {
        slab.clear();
        slab.next = free;
        free = slab;
        used--;
        unused++;
        while (unused > used + A_FEW) {
            free = Objects.requireNonNull(free).next;
            unused--;
        }
    }

    /** How many are not in use. */
    synchronized int unused() {
        return unused;
    }
}
