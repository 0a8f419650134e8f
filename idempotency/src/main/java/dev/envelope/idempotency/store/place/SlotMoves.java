package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.key.Division;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.SlotAwayException;
import dev.envelope.idempotency.store.place.SlotWatch.Reason;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which slots are being moved to other databases, as far as this process knows: it looks once a
 * second, and whenever a place refuses what is of a slot. What is of such a slot waits; what is of
 * others at its place goes on. A process that has seen a slot leave does not use it again, wherever
 * it is: it starts anew. So it does when a slot is back whose schema was gone (its rows may be
 * older ones), or whose place did not answer when it started.
 *
 * <p>Threads: thread-safe (an atomic for each place, a volatile reference).
 */
public final class SlotMoves {

    private static final Logger log = LoggerFactory.getLogger(SlotMoves.class);

    /** Seconds that a place is there before a process starts anew for it. */
    private static final int ANSWERS = 5;

    private final Division division;
    private final List<Place> places;
    private final AtomicReferenceArray<Map<Integer, SlotWatch.Away>> away; // by place, by slot
    private final AtomicIntegerArray answers; // of each place, in a row
    private volatile Consumer<String> startAnew = why -> {};

    /** One pass of the work of a slot. */
    @FunctionalInterface
    public interface Pass {

        /** Does one pass; does nothing while the slot is away. Returns whether there is more. */
        boolean turn(BooleanSupplier work);
    }

    SlotMoves(Division division, List<Place> places) {
        this.division = division;
        this.places = List.copyOf(places);
        this.away = new AtomicReferenceArray<>(places.size());
        this.answers = new AtomicIntegerArray(places.size());
        for (int place = 0; place < places.size(); place++) {
            away.set(place, Map.of());
        }
    }

    /** Slots that can't be used from the start. */
    public void left(Collection<SlotWatch.Away> slots) {
        for (SlotWatch.Away each : slots) {
            away.updateAndGet(division.placeOf(each.slot()), before -> with(before, each));
        }
    }

    private static Map<Integer, SlotWatch.Away> with(
            Map<Integer, SlotWatch.Away> before, SlotWatch.Away one) {
        Map<Integer, SlotWatch.Away> all = new HashMap<>(before);
        all.put(one.slot(), one);
        return Map.copyOf(all);
    }

    /** What to do when a slot that has left is elsewhere, or is back; called again and again. */
    public void whenElsewhere(Consumer<String> action) {
        startAnew = action;
    }

    private SlotWatch.@Nullable Away of(int slot) {
        return away.get(division.placeOf(slot)).get(slot);
    }

    /** In sentences: the slots of a place that have left. */
    List<String> sentences(int place) {
        return away.get(place).values().stream().map(SlotWatch.Away::why).distinct().toList();
    }

    /** The number of places to look at; none where rows are not divided. */
    public int places() {
        return division.slots() == 1 ? 0 : places.size();
    }

    /**
     * Looks at one place. If it does not answer, that says nothing.
     *
     * @return whether slots of it have left
     */
    public boolean look(int place) {
        Map<Integer, SlotWatch.Away> before = away.get(place);
        Map<Integer, SlotWatch.Away> now = new HashMap<>();
        try {
            places.get(place).watch().look().forEach(it -> now.put(it.slot(), it));
        } catch (UnavailableException e) {
            log.debug("not asked whether slots are moved: {}", e.getMessage());
            answers.set(place, 0);
            return !before.isEmpty();
        }
        boolean isThere = answers.incrementAndGet(place) >= ANSWERS;
        before.forEach((slot, it) -> now.compute(slot, (same, seen) -> next(it, seen, isThere)));
        if (!away.compareAndSet(place, before, Map.copyOf(now))) {
            return look(place); // another thread may have seen more
        }
        now.values().stream()
                .filter(it -> !isKnown(it, before.get(it.slot())))
                .forEach(it -> log.warn("{}: its keys wait, others go on", it.why()));
        if (!isOneGone()) { // with which a start would be refused
            now.values().stream()
                    .filter(it -> it.reason() == Reason.ELSEWHERE)
                    .findFirst()
                    .ifPresent(it -> startAnew.accept(it.why()));
        }
        return !now.isEmpty();
    }

    private static boolean isKnown(SlotWatch.Away now, SlotWatch.@Nullable Away before) {
        return before != null && before.reason() == now.reason();
    }

    private boolean isOneGone() {
        return IntStream.range(0, places.size())
                .filter(place -> answers.get(place) > 0) // a start goes on without the others
                .mapToObj(away::get)
                .flatMap(its -> its.values().stream())
                .anyMatch(it -> it.reason() == Reason.GONE);
    }

    /**
     * What is known of a slot that was away, as it is seen now; null if it is there. A start goes
     * where a slot is that has left, unless it is gone.
     */
    private static SlotWatch.Away next(
            SlotWatch.Away before, SlotWatch.@Nullable Away seen, boolean isThereForLong) {
        if (seen != null && seen.reason() == Reason.GONE) {
            return seen;
        } else if (before.reason() == Reason.ELSEWHERE) {
            return before;
        } else if (seen != null) {
            return seen;
        } else if (before.reason() == Reason.NOT_ASKED && !isThereForLong) {
            return before;
        }
        return new SlotWatch.Away(
                before.slot(), "slot %d is there again".formatted(before.slot()), Reason.ELSEWHERE);
    }

    /**
     * Asks what is of a slot.
     *
     * @throws SlotAwayException if the slot has left
     * @throws UnavailableException if its place did not answer when this process started
     */
    <T> T ask(int slot, Supplier<T> question) {
        return ask(division.placeOf(slot), Set.of(slot), question);
    }

    /** The same for what is of some keys at one place. */
    <T> T ask(int place, Collection<String> keys, Supplier<T> question) {
        if (away.get(place).isEmpty()) {
            try {
                return question.get();
            } catch (RefusedException e) {
                throw away(place, slots(keys), e);
            }
        }
        return ask(place, slots(keys), question);
    }

    private Set<Integer> slots(Collection<String> keys) {
        Set<Integer> slots = new TreeSet<>();
        keys.forEach(key -> slots.add(division.slotOf(key)));
        return slots;
    }

    private <T> T ask(int place, Set<Integer> slots, Supplier<T> question) {
        requireHere(place, slots);
        try {
            return question.get();
        } catch (RefusedException e) {
            throw away(place, slots, e);
        }
    }

    private UnavailableException away(int place, Set<Integer> slots, RefusedException e) {
        if (look(place)) {
            requireHere(place, slots);
        }
        return e;
    }

    private void requireHere(int place, Set<Integer> slots) {
        Map<Integer, SlotWatch.Away> left = away.get(place);
        for (int slot : slots) {
            SlotWatch.Away its = left.get(slot);
            if (its != null) {
                throw its.reason() == Reason.NOT_ASKED
                        ? new UnavailableException(its.why())
                        : new SlotAwayException(its.why());
            }
        }
    }

    /** The same, with an answer for a slot that can't be used. */
    <T> T askOr(T otherwise, int slot, Supplier<T> question) {
        if (of(slot) != null) {
            return otherwise;
        }
        try {
            return ask(slot, question);
        } catch (SlotAwayException e) {
            return otherwise;
        }
    }

    /** For loops that do something slot by slot. */
    public Pass passOf(int slot) {
        return places() == 0
                ? BooleanSupplier::getAsBoolean
                : work -> askOr(false, slot, work::getAsBoolean);
    }

    /** Why an envelope has to wait; null if its slot is where it was. */
    @Nullable Outcome admit(Envelope envelope) {
        SlotWatch.Away its = of(division.slotOf(envelope.key()));
        return its == null
                ? null
                : new Outcome.Waiting(
                        Dispositions.NONE, Doing.SLOT_AWAY, new SlotAwayException(its.why()));
    }
}
