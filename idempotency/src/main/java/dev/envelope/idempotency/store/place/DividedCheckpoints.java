package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.PartitionEpoch.Durable;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Skip;
import dev.envelope.idempotency.store.RefusedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checkpoints of rows that are divided: one in each slot that a source feeds. A partition goes on
 * at the lowest of these. Where one of them is at a place that is away, the partition's position is
 * unknown, and its checkpoint is not saved; other partitions go on.
 *
 * <p>The home of the sources has one of each, too: where it went back, it is below all that slots
 * were told of since, which nobody may know any more. What slots that answer know and home does
 * not, it is told again, before anything is read by it.
 *
 * <p>Threads: thread-safe (its parts are).
 */
final class DividedCheckpoints implements Checkpoints {

    private static final Logger log = LoggerFactory.getLogger(DividedCheckpoints.class);

    private final Places places;
    private final FedSlots fed;
    private final Lives lives;
    private final Reachable reachable;
    private final LateSlots late;

    DividedCheckpoints(
            Places places, FedSlots fed, Lives lives, Reachable reachable, LateSlots late) {
        this.places = places;
        this.fed = fed;
        this.lives = lives;
        this.reachable = reachable;
        this.late = late;
    }

    @Override
    public Bearings read(Set<String> topics) {
        Bearings home = ask(Places.HOME, () -> ofHome(topics));
        Looks looks = new Looks(topics, home);
        if (looks.haveMoreThan(home)) {
            fed.completeHome(reachable);
            home = ask(Places.HOME, () -> ofHome(topics));
            looks.take(Places.HOME, home);
        }
        Map<Integer, String> unknown = new HashMap<>();
        List<Source> sources = new ArrayList<>();
        for (Source source : home.sources()) {
            @Nullable NextOffset lowest = null;
            List<@Nullable NextOffset> bySlot = new ArrayList<>();
            for (int slot = 0; slot < places.slots().size(); slot++) {
                try {
                    @Nullable NextOffset its = looks.checkpoint(source, slot);
                    lowest = lower(lowest, its);
                    bySlot.add(its);
                } catch (UnavailableException e) {
                    unknown.put(source.number(), String.valueOf(e.getMessage()));
                    bySlot.add(null);
                }
            }
            NextOffset checkpoint = lowest == null ? source.checkpoint() : lowest;
            fed.doneElsewhere(source.number(), checkpoint);
            sources.add(at(source, checkpoint, durable(checkpoint, bySlot)));
        }
        return new Bearings(lives.all(looks.byPlace), sources, unknown);
    }

    private <T> T ask(int slot, Supplier<T> question) {
        return places.ask(slot, reachable, question);
    }

    /** Which slots are fed is read behind the checkpoints: none that has anything below lacks. */
    private Bearings ofHome(Set<String> topics) {
        Bearings home = places.checkpoints(Places.HOME).read(topics);
        fed.read();
        return home;
    }

    private static @Nullable NextOffset lower(
            @Nullable NextOffset one, @Nullable NextOffset other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.compareTo(other) <= 0 ? one : other;
    }

    /** Of a slot that a source does not feed, nothing is read. */
    private Durable durable(NextOffset lowest, List<@Nullable NextOffset> bySlot) {
        List<NextOffset> all = new ArrayList<>(bySlot.size());
        bySlot.forEach(it -> all.add(it == null ? lowest : it));
        NextOffset highest = Collections.max(all);
        return highest.equals(lowest)
                ? Durable.everywhere(lowest)
                : new BySlot(places.division(), all, highest);
    }

    private record BySlot(Division division, List<NextOffset> checkpoints, NextOffset highest)
            implements Durable {
        @Override
        public NextOffset of(String rowKey) {
            return checkpoints.get(division.slotOf(rowKey));
        }
    }

    private static Source at(Source source, NextOffset checkpoint, Durable durable) {
        return new Source(
                source.number(),
                source.partition(),
                source.topicId(),
                source.generation(),
                source.start(),
                checkpoint,
                source.growth(),
                durable);
    }

    /** What the slots have of some topics. */
    private final class Looks {

        private final Map<Integer, Map<Integer, Source>> bySlot = new HashMap<>(); // by number
        private final Map<Integer, UnavailableException> away = new HashMap<>(); // by slot
        private final Map<Integer, Incarnation> byPlace = new HashMap<>();
        private final Set<String> topics;

        Looks(Set<String> topics, Bearings home) {
            this.topics = topics;
            take(Places.HOME, home);
            for (int slot = 0; slot < places.slots().size(); slot++) {
                if (slot != Places.HOME) {
                    try {
                        take(slot, read(slot));
                    } catch (UnavailableException e) {
                        away.put(slot, e);
                    }
                }
            }
        }

        private Bearings read(int slot) {
            Checkpoints its = places.checkpoints(slot);
            return ask(slot, () -> its.read(topics));
        }

        private void take(int slot, Bearings found) {
            int place = places.placeOf(slot);
            Incarnation before = byPlace.putIfAbsent(place, found.incarnation());
            if (before != null && !before.equals(found.incarnation())) {
                throw new OtherIncarnationException(before, found.incarnation());
            }
            lives.saw(place, found.incarnation());
            Map<Integer, Source> sources = new HashMap<>();
            found.sources().forEach(it -> sources.put(it.number(), it));
            bySlot.put(slot, sources);
        }

        /** Whether slots know sources that home does not: it went back to an older copy. */
        boolean haveMoreThan(Bearings home) {
            Set<Integer> known = new HashSet<>();
            home.sources().forEach(it -> known.add(it.number()));
            return bySlot.values().stream().anyMatch(it -> !known.containsAll(it.keySet()));
        }

        /**
         * The checkpoint of a source in a slot; null if the slot does not know it.
         *
         * @throws UnavailableException if the slot knows another source by that number
         */
        private @Nullable NextOffset in(int slot, Source source) {
            @Nullable Source its = bySlot.getOrDefault(slot, Map.of()).get(source.number());
            if (its == null) {
                return null;
            } else if (!its.partition().equals(source.partition())
                    || its.generation() != source.generation()) {
                throw new UnavailableException(
                        "slot %d knows source %d as %s, generation %d: the first slot went back to an older copy and gave the number to %s, generation %d"
                                .formatted(
                                        slot,
                                        source.number(),
                                        its.partition(),
                                        its.generation(),
                                        source.partition(),
                                        source.generation()));
            }
            return its.checkpoint();
        }

        /**
         * The checkpoint of a source in a slot; null if it does not feed it. Of one that the slot
         * has lost, since it went back, everything is read again.
         */
        @Nullable NextOffset checkpoint(Source source, int slot) {
            int number = source.number();
            UnavailableException why = away.get(slot);
            if (why != null) {
                if (fed.has(number, slot)) {
                    throw why;
                }
                return null;
            }
            if (slot != Places.HOME && fed.has(number, slot) && in(slot, source) == null) {
                take(slot, read(slot)); // it may have been told of it a moment ago
            }
            NextOffset its = in(slot, source);
            if (slot == Places.HOME) { // it knows all sources, also those that don't feed it
                return its;
            } else if (its != null) {
                fed.found(number, slot);
                return its;
            } else if (fed.has(number, slot)) {
                fed.copy(number, source.partition(), slot, source.start());
                return source.start();
            }
            return null;
        }
    }

    @Override
    public Bearings introduce(Collection<NewSource> sources) {
        fed.completeHome(reachable);
        places.checkpoints(Places.HOME).introduce(sources);
        Set<String> topics = new HashSet<>();
        sources.forEach(source -> topics.add(source.partition().topic()));
        return read(topics);
    }

    @Override
    public Bearings adopt(String topic, Uuid former, Uuid present) {
        for (int slot = places.slots().size() - 1; slot >= Places.HOME; slot--) { // home last
            places.checkpoints(slot).adopt(topic, former, present);
        }
        return read(Set.of(topic));
    }

    @Override
    public void skip(int source, List<Skip> skips, Incarnation incarnation) {
        for (int slot : slotsWith(source)) {
            Incarnation its = lives.of(places.placeOf(slot), incarnation);
            places.checkpoints(slot).skip(source, skips, its);
        }
    }

    @Override
    public void settle(int source) {
        places.checkpoints(Places.HOME).settle(source);
    }

    /**
     * Saves at each place what it can; a source is saved when all slots have it that it feeds.
     * Without home, which has all sources, nothing is.
     */
    @Override
    public Set<Integer> save(Map<Integer, NextOffset> nextBySource, Incarnation incarnation) {
        requireNoOtherAnswers(incarnation);
        Set<Integer> saved = new HashSet<>(nextBySource.keySet());
        Map<Integer, Set<Integer>> slots = new HashMap<>(); // by source
        nextBySource.keySet().forEach(source -> slots.put(source, slotsWith(source)));
        @Nullable UnavailableException away = null;
        for (int slot = 0; slot < places.slots().size(); slot++) {
            int its = slot;
            Map<Integer, NextOffset> ofSlot = new HashMap<>(nextBySource);
            ofSlot.keySet().removeIf(source -> !slots.getOrDefault(source, Set.of()).contains(its));
            if (!ofSlot.isEmpty()) {
                try {
                    save(slot, ofSlot, incarnation);
                } catch (OtherIncarnationException e) {
                    throw e;
                } catch (UnavailableException e) {
                    if (slot == Places.HOME) {
                        throw e;
                    }
                    away = e;
                    saved.removeAll(ofSlot.keySet());
                }
            }
        }
        if (saved.isEmpty() && away != null) {
            throw away;
        }
        slots.keySet().retainAll(saved);
        late.saved(nextBySource, slots, incarnation);
        lookForLateSlots();
        return saved;
    }

    private Set<Integer> slotsWith(int source) {
        Set<Integer> slots = new HashSet<>(fed.of(source));
        slots.add(Places.HOME);
        return slots;
    }

    private void lookForLateSlots() {
        Supplier<FedSlots> reading =
                () -> {
                    fed.read();
                    return fed;
                };
        late.look(() -> ask(Places.HOME, reading), this::save);
    }

    /** What has not answered before positions were read may do so now; then they are read again. */
    private void requireNoOtherAnswers(Incarnation incarnation) {
        for (int place = 0; place < places.all().size(); place++) {
            if (lives.lacks(place, incarnation) && hasAnswered(place)) {
                throw new OtherIncarnationException(incarnation, lives.all());
            }
        }
    }

    private boolean hasAnswered(int place) {
        try {
            look(place);
            return true;
        } catch (UnavailableException e) {
            return false;
        }
    }

    private void look(int place) {
        Checkpoints any = places.all().get(place).any().checkpoints();
        lives.saw(place, reachable.ask(place, any::incarnation));
    }

    private void save(int slot, Map<Integer, NextOffset> next, Incarnation incarnation) {
        int place = places.placeOf(slot);
        Incarnation its = lives.of(place, incarnation);
        ask(
                slot,
                () -> {
                    try {
                        return places.checkpoints(slot).save(next, its);
                    } catch (RefusedException e) {
                        if (slot != Places.HOME && hasLost(slot, next.keySet())) {
                            log.warn("slot {} lacks sources that are taken to feed it", slot);
                            throw new OtherIncarnationException(incarnation, lives.all());
                        }
                        throw e;
                    }
                });
    }

    /**
     * Whether a slot is taken to know what it does not: it went back, and home heard too late that
     * the slot had been told. When positions are looked for again, it is told again.
     */
    private boolean hasLost(int slot, Set<Integer> sources) {
        Set<Integer> known = new HashSet<>();
        places.sources(slot).all().forEach(it -> known.add(it.number()));
        return !known.containsAll(sources);
    }

    /** A place that is away says nothing new; if all are, nothing is known. */
    @Override
    public Incarnation incarnation() {
        List<UnavailableException> away = new ArrayList<>();
        for (int place = 0; place < places.all().size(); place++) {
            try {
                look(place);
            } catch (UnavailableException e) {
                away.add(e);
            }
        }
        if (away.size() == places.all().size()) {
            throw away.get(0);
        }
        lookForLateSlots();
        return lives.all();
    }

    @Override
    public Map<Integer, String> stopped() {
        return places.moves().ask(Places.HOME, () -> places.checkpoints(Places.HOME).stopped());
    }

    @Override
    public Pauses pauses() {
        return places.moves().ask(Places.HOME, () -> places.checkpoints(Places.HOME).pauses());
    }
}
