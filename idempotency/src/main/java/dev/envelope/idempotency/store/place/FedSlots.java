package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.SourceCopies;
import dev.envelope.idempotency.store.SourceCopies.Copy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which slots each source feeds. A slot is told of a source, and then home of that, before the
 * first row of it is saved there. So a slot that does not know a source that feeds it has gone back
 * to an older copy.
 *
 * <p>Whoever looks for positions in a new incarnation tells each slot again what it has lost, but
 * only of sources that are known here to feed it. So what was read or told in an incarnation that
 * is known to be over by now is not known here: it is read or told once more.
 *
 * <p>Threads: thread-safe (concurrent sets, which only grow).
 */
final class FedSlots {

    private static final Logger log = LoggerFactory.getLogger(FedSlots.class);

    private final Places places;
    private final Lives lives;
    private final Map<Integer, Set<Integer>> bySource = new ConcurrentHashMap<>();
    private final Map<Integer, NextOffset> lowest = new ConcurrentHashMap<>(); // as last read

    FedSlots(Places places, Lives lives) {
        this.places = places;
        this.lives = lives;
    }

    /** As far as this process knows. */
    Set<Integer> of(int source) {
        return bySource.getOrDefault(source, Set.of());
    }

    boolean has(int source, int slot) {
        return of(source).contains(slot);
    }

    /** Reads what home knows. */
    void read() {
        Incarnation all;
        Map<Integer, SortedSet<Integer>> fed;
        do {
            all = lives.all();
            fed = places.sources(Places.HOME).fed();
        } while (!lives.whileIn(all, knowing(fed)));
    }

    private Runnable knowing(Map<Integer, SortedSet<Integer>> fed) {
        return () -> fed.forEach((source, slots) -> slots.forEach(slot -> know(source, slot)));
    }

    private void know(int source, int slot) {
        bySource.computeIfAbsent(source, it -> ConcurrentHashMap.newKeySet()).add(slot);
    }

    /** The slot knows the source, and home may have forgotten that, or not have heard of it. */
    void found(int source, int slot) {
        if (!has(source, slot)) {
            places.sources(Places.HOME).feeds(source, slot);
            know(source, slot);
        }
    }

    /** The lowest checkpoint of a source, as just read. */
    void doneElsewhere(int source, NextOffset checkpoint) {
        lowest.put(source, checkpoint);
    }

    /**
     * From now on the source feeds the slot. What is below its lowest checkpoint, whenever that was
     * read before it did, is done in other slots: otherwise this one would have been told of it.
     */
    void introduce(int source, TopicPartition partition, int slot) {
        NextOffset checkpoint = lowest.get(source);
        if (checkpoint == null) {
            throw new UnavailableException("checkpoints of " + partition + " were not read yet");
        }
        if (!has(source, slot)) { // asked later: else that checkpoint may be of this slot as well
            introduce(source, partition, slot, checkpoint);
        }
    }

    /**
     * From now on the source feeds the slot.
     *
     * @param partition of the source
     * @param checkpoint nothing at or above it is done anywhere; what is below is done elsewhere
     */
    void introduce(int source, TopicPartition partition, int slot, NextOffset checkpoint) {
        Incarnation all;
        do {
            all = lives.all();
            if (slot != Places.HOME) {
                copy(source, partition, slot, checkpoint);
            }
            places.sources(Places.HOME).feeds(source, slot);
        } while (!lives.whileIn(all, () -> know(source, slot)));
    }

    /**
     * Has the slot know the source, by what home knows of it. A home that went back may have given
     * the number to another partition since.
     */
    void copy(int source, TopicPartition partition, int slot, NextOffset checkpoint) {
        Copy original =
                places.sources(Places.HOME).all().stream()
                        .filter(it -> it.number() == source && it.partition().equals(partition))
                        .findAny()
                        .orElseThrow(
                                () ->
                                        new UnavailableException(
                                                "the first slot does not know "
                                                        + partition
                                                        + " as source "
                                                        + source
                                                        + ": it went back to an older copy"));
        places.sources(slot).copy(original, checkpoint);
    }

    /**
     * A home that went back to an older copy gets the sources again that other slots know, so that
     * it gives none of their numbers twice. A place that is away can't be asked: if it knows some
     * that no other does, what is to be copied there later is refused.
     */
    void completeHome(Reachable reachable) {
        Map<Integer, Copy> others = new HashMap<>();
        for (int slot = Places.HOME + 1; slot < places.slots().size(); slot++) {
            SourceCopies its = places.sources(slot);
            try {
                int asked = slot;
                reachable
                        .ask(places.placeOf(slot), () -> places.moves().ask(asked, its::all))
                        .forEach(it -> others.put(it.number(), it));
            } catch (UnavailableException e) {
                log.debug("not asked whether home has lost sources: {}", e.getMessage());
            }
        }
        SourceCopies home = places.sources(Places.HOME);
        home.all().forEach(it -> others.remove(it.number()));
        if (!others.isEmpty()) {
            home.giveNoNumberUpTo(others.keySet().stream().max(Integer::compare).orElseThrow());
            others.values().forEach(it -> home.copy(it, it.start()));
        }
    }
}
