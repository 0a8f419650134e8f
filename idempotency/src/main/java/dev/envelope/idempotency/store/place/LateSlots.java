package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slots that are told of a source when its owner has saved all that it had: by a process that has
 * lost the partition and does not know it yet, at a checkpoint of its own time. Where no message
 * comes, the owner would not save again, and all that waits for the partition would wait for that
 * slot. So what was saved last is remembered, and saved there as well.
 *
 * <p>That is true in such a slot: all below it is done, and what is done in a slot is done after
 * the slot was told. The checkpoint of another owner is later, and stays.
 *
 * <p>Threads: thread-safe (a concurrent map; who looks at the same time does the same twice).
 */
final class LateSlots {

    private static final Logger log = LoggerFactory.getLogger(LateSlots.class);
    private static final long READ_EVERY = Duration.ofSeconds(10).toNanos();

    private final FedSlots fed;
    private final Lives lives;
    private final LongSupplier nanoTime;
    private final Map<Integer, Saved> last = new ConcurrentHashMap<>(); // by source
    private volatile long readAt;

    /** How far a source is in some slots. */
    private record Saved(NextOffset next, Set<Integer> slots, Incarnation all) {}

    /** Saves a checkpoint in one slot. */
    @FunctionalInterface
    interface Saving {
        void save(int slot, Map<Integer, NextOffset> next, Incarnation all);
    }

    LateSlots(FedSlots fed, Lives lives, LongSupplier nanoTime) {
        this.fed = fed;
        this.lives = lives;
        this.nanoTime = nanoTime;
        this.readAt = nanoTime.getAsLong();
    }

    /**
     * A checkpoint of a source is saved in all slots that it is known to feed.
     *
     * @param all the lives that it was saved in, as {@link Lives#all} makes them
     */
    void saved(int source, NextOffset next, Set<Integer> slots, Incarnation all) {
        last.put(source, new Saved(next, slots, all));
    }

    /**
     * Saves what was saved last in slots that the sources feed since, by whomever they are told.
     */
    void look(Runnable readFed, Saving saving) {
        try {
            long now = nanoTime.getAsLong();
            if (!last.isEmpty() && now - readAt >= READ_EVERY) {
                readAt = now;
                readFed.run();
            }
            last.forEach((source, its) -> look(source, its, saving));
        } catch (UnavailableException e) {
            log.debug("not looked for slots that were told late: {}", e.getMessage());
        }
    }

    private void look(int source, Saved its, Saving saving) {
        Set<Integer> late = new HashSet<>(fed.of(source));
        late.removeAll(its.slots());
        if (late.isEmpty() || !its.all().equals(lives.all())) {
            return; // in another life positions are looked for, and all is saved again
        }
        for (int slot : late) {
            saving.save(slot, Map.of(source, its.next()), its.all());
        }
        late.addAll(its.slots());
        last.replace(source, its, new Saved(its.next(), late, its.all()));
    }
}
