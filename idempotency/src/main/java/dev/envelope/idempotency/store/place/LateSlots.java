package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slots that are told of a source when all that its owner had was saved, at a checkpoint of
 * earlier: by a process that has lost the partition and does not know it yet. Where no message
 * comes, the owner would not save again, and all that waits for the partition would wait for that
 * slot. So what was saved last is remembered, and now and then saved there as well.
 *
 * <p>Such a slot has no key of any message below that checkpoint: otherwise it would have been told
 * before the checkpoint was saved. That holds while home is in the life that it was in, so home is
 * asked to save the same first: in another life it refuses. A higher checkpoint stays.
 *
 * <p>Threads: thread-safe (a concurrent map, an atomic time).
 */
final class LateSlots {

    private static final Logger log = LoggerFactory.getLogger(LateSlots.class);
    private static final long EVERY = Duration.ofSeconds(10).toNanos();

    private final FedSlots fed;
    private final Lives lives;
    private final LongSupplier nanoTime;
    private final Map<Integer, Saved> last = new ConcurrentHashMap<>(); // by source
    private final AtomicLong lookedAt;

    /** How far a source is in some slots. */
    private record Saved(NextOffset next, Set<Integer> slots, Incarnation life) {

        boolean is(NextOffset other, Incarnation in) {
            return next.equals(other) && life.equals(in);
        }

        Saved in(int slot) {
            Set<Integer> more = new HashSet<>(slots);
            more.add(slot);
            return new Saved(next, more, life);
        }
    }

    /** Saves checkpoints, by source, in one slot. */
    @FunctionalInterface
    interface Saving {
        void save(int slot, Map<Integer, NextOffset> next, Incarnation life);
    }

    LateSlots(FedSlots fed, Lives lives, LongSupplier nanoTime) {
        this.fed = fed;
        this.lives = lives;
        this.nanoTime = nanoTime;
        this.lookedAt = new AtomicLong(nanoTime.getAsLong());
    }

    /**
     * Checkpoints are saved.
     *
     * @param slots by source: all that it is known to feed
     * @param life of all places, as {@link Lives#all} makes it
     */
    void saved(Map<Integer, NextOffset> next, Map<Integer, Set<Integer>> slots, Incarnation life) {
        next.forEach(
                (source, its) -> {
                    Set<Integer> in = slots.get(source);
                    if (in != null) {
                        last.put(source, new Saved(its, in, life));
                    }
                });
    }

    /** Looks for such slots, every ten seconds. What fails is done the next time. */
    void look(Runnable readFed, Saving saving) {
        long now = nanoTime.getAsLong();
        long before = lookedAt.get();
        if (last.isEmpty() || now - before < EVERY || !lookedAt.compareAndSet(before, now)) {
            return;
        }
        Incarnation life = lives.all();
        try {
            readFed.run();
            Map<Integer, Map<Integer, NextOffset>> late = late(life);
            if (!late.isEmpty()) {
                Map<Integer, NextOffset> all = new HashMap<>();
                late.values().forEach(all::putAll);
                saving.save(Places.HOME, all, life);
                late.forEach((slot, next) -> save(slot, next, life, saving));
            }
        } catch (UnavailableException e) {
            log.debug("not looked for slots that were told late: {}", e.getMessage());
        }
    }

    /** What was saved last in this life, by the slots that do not have it. */
    private Map<Integer, Map<Integer, NextOffset>> late(Incarnation life) {
        Map<Integer, Map<Integer, NextOffset>> late = new TreeMap<>();
        last.forEach(
                (source, its) -> {
                    Set<Integer> slots = fed.of(source);
                    if (!its.slots().containsAll(slots) && its.life().equals(life)) {
                        slots.stream()
                                .filter(slot -> !its.slots().contains(slot))
                                .forEach(
                                        slot ->
                                                late.computeIfAbsent(slot, it -> new HashMap<>())
                                                        .put(source, its.next()));
                    }
                });
        return late;
    }

    private void save(int slot, Map<Integer, NextOffset> next, Incarnation life, Saving saving) {
        try {
            saving.save(slot, next, life);
        } catch (UnavailableException e) {
            log.debug("slot {} was told late, and has no checkpoint: {}", slot, e.getMessage());
            return;
        }
        next.forEach(
                (source, saved) ->
                        last.computeIfPresent(
                                source, (it, its) -> its.is(saved, life) ? its.in(slot) : its));
    }
}
