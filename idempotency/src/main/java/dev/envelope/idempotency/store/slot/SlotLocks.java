package dev.envelope.idempotency.store.slot;

import dev.envelope.core.membership.Slots;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The slots of a process, and its part in taking them: who is there takes what is free, and holds
 * it until it ends or is out of touch.
 *
 * <p>Threads: one thread calls {@link #turn} and {@link #close}; any thread the rest.
 */
public interface SlotLocks extends Slots, AutoCloseable {

    /**
     * Who holds a slot.
     *
     * @param instance the name of the process; empty if the database does not show it
     */
    record Holder(int slot, String instance, boolean isOurs) {}

    /**
     * What was seen last.
     *
     * @param holders by slot; one that nobody holds is missing
     * @param waiting the names of processes that hold none
     * @param trouble why this process can't hold one; empty if it can
     */
    record Seen(int count, List<Holder> holders, List<String> waiting, String trouble) {

        public Seen {
            holders = List.copyOf(holders);
            waiting = List.copyOf(waiting);
        }

        /** The slots that nobody holds. */
        public List<Integer> free() {
            Set<Integer> taken = holders.stream().map(Holder::slot).collect(Collectors.toSet());
            return IntStream.range(0, count).filter(it -> !taken.contains(it)).boxed().toList();
        }
    }

    /** Confirms what it holds, and takes more; returns false, for it has nothing to do at once. */
    boolean turn();

    /** What it saw last. */
    Seen seen();

    /** Gives all slots up. */
    @Override
    void close();
}
