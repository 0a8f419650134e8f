package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.Pauses;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.InMemorySourceCopies;
import dev.envelope.idempotency.store.SavedOutput;
import dev.envelope.idempotency.store.StandingTimer;
import dev.envelope.idempotency.store.row.KeyOrder;
import dev.envelope.idempotency.store.row.OutboxRecord;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The database of a seed as one, for who looks at all of it: one in memory for each slot. Those of
 * a place live and die together. What is of no key is in the first slot.
 *
 * <p>Threads: one thread.
 */
final class SimDatabase {

    private static final SortedSet<Integer> NONE = new TreeSet<>();

    private final List<InMemoryDatabase> slots;
    private final Set<Integer> moving = new TreeSet<>(); // slots
    private Division division; // as it is now

    SimDatabase(Division division, LongSupplier nanoTime) {
        this.division = division;
        this.slots =
                IntStream.range(0, division.slots())
                        .mapToObj(slot -> new InMemoryDatabase(server(slot), nanoTime))
                        .toList();
    }

    private String server(int slot) {
        return division.slots() == 1 ? "memory" : "place-" + division.placeOf(slot);
    }

    /** Where the slots are now. */
    Division division() {
        return division;
    }

    /** Whether a slot is at this place, under its name. */
    boolean isHere(int slot, int place) {
        return !moving.contains(slot) && division.placeOf(slot) == place;
    }

    boolean isMoving(int slot) {
        return moving.contains(slot);
    }

    boolean isAnyMoving() {
        return !moving.isEmpty();
    }

    /** The schema of a slot gets another name. */
    void hide(int slot) {
        moving.add(slot);
    }

    /** It gets its name again. */
    void show(int slot) {
        moving.remove(slot);
    }

    /** A slot that is hidden is at another place from now on. */
    void move(int slot, int place) {
        slots.get(slot).moveTo(at(place).get(0));
        List<Integer> places = new ArrayList<>();
        for (int each = 0; each < slots.size(); each++) {
            places.add(each == slot ? place : division.placeOf(each));
        }
        division = new Division(places);
        moving.remove(slot);
    }

    /** The first slot, which has also what is of no key. */
    InMemoryDatabase home() {
        return slots.get(0);
    }

    InMemoryDatabase slot(int slot) {
        return slots.get(slot);
    }

    /** The one with the row of a key. */
    InMemoryDatabase of(String key) {
        return slots.get(division.slotOf(key));
    }

    /** Those at a place. */
    List<InMemoryDatabase> at(int place) {
        return division.slotsAt(place).stream().map(slots::get).toList();
    }

    /** What one who works with parked messages has in each slot. */
    List<InMemoryParkedStore> parkedStores(String name, LongSupplier nanoTime) {
        return slots.stream().map(slot -> new InMemoryParkedStore(slot, name, nanoTime)).toList();
    }

    /** All rows in the order of their keys. Each is in its slot and nowhere else. */
    SortedMap<String, Snapshot> rows() {
        if (slots.size() == 1) {
            return home().rows();
        }
        SortedMap<String, Snapshot> all = new TreeMap<>(KeyOrder.BY_BYTES);
        for (int slot = 0; slot < slots.size(); slot++) {
            for (Map.Entry<String, Snapshot> row : slots.get(slot).rows().entrySet()) {
                if (division.slotOf(row.getKey()) != slot) {
                    throw new Violation("place", row.getKey() + " is in slot " + slot);
                }
                all.put(row.getKey(), row.getValue());
            }
        }
        return all;
    }

    /** The row of a key, or null without one. */
    @Nullable Snapshot row(String key) {
        return of(key).row(key);
    }

    /** All parked messages, slot by slot. */
    List<ParkedMessage> parked() {
        return slots.size() == 1
                ? home().parked()
                : slots.stream().flatMap(slot -> slot.parked().stream()).toList();
    }

    /** All sources that any slot knows, at the lowest checkpoint of those that they feed. */
    List<Source> sources() {
        if (slots.size() == 1) {
            return home().sources();
        }
        Map<Integer, SortedSet<Integer>> fed = new InMemorySourceCopies(home()).fed();
        SortedMap<Integer, Source> all = new TreeMap<>();
        for (int slot = slots.size() - 1; slot > 0; slot--) {
            for (Source source : slots.get(slot).sources()) {
                all.merge(source.number(), source, SimDatabase::lower);
            }
        }
        for (Source source : home().sources()) {
            Source others = all.get(source.number());
            boolean isFed = others == null || fed.getOrDefault(source.number(), NONE).contains(0);
            all.put(
                    source.number(),
                    others == null
                            ? source
                            : isFed ? lower(source, others) : at(source, others.checkpoint()));
        }
        return List.copyOf(all.values());
    }

    private static Source lower(Source one, Source other) {
        return one.checkpoint().compareTo(other.checkpoint()) <= 0
                ? one
                : at(one, other.checkpoint());
    }

    private static Source at(Source source, NextOffset checkpoint) {
        return new Source(
                source.number(),
                source.partition(),
                source.topicId(),
                source.generation(),
                source.start(),
                checkpoint,
                source.growth());
    }

    /** The checkpoint of a source in a slot; null if that does not know it. */
    @Nullable NextOffset checkpoint(int slot, int source) {
        return slots.get(slot).sources().stream()
                .filter(it -> it.number() == source)
                .map(Source::checkpoint)
                .findAny()
                .orElse(null);
    }

    /** The life of the first slot. */
    Incarnation incarnation() {
        return home().incarnation();
    }

    List<OutboxRecord> outbox() {
        return home().outbox();
    }

    List<SavedOutput> outputs() {
        return home().outputs();
    }

    Map<String, Map<String, Timer.Setting>> timers() {
        return home().timers();
    }

    Map<String, StandingTimer> standingTimers(String key) {
        return of(key).standingTimers(key);
    }

    Map<String, Map<String, StandingTimer>> standingTimers() {
        return home().standingTimers();
    }

    String answer(String key, String command) {
        return of(key).answer(key, command);
    }

    boolean pause(Pauses.Kind kind, String name, Optional<Duration> time) {
        return home().pause(kind, name, time);
    }

    boolean resume(Pauses.Kind kind, String name) {
        return home().resume(kind, name);
    }

    Pauses pauses() {
        return home().pauses();
    }

    void dropWithoutRow(Predicate<ParkedMessage> which) {
        slots.forEach(slot -> slot.dropWithoutRow(which));
    }

    /** What all at a place hold now. */
    List<InMemoryDatabase.Backup> backup(int place) {
        return at(place).stream().map(InMemoryDatabase::backup).toList();
    }

    /** They go back to that, in another life. */
    void restore(int place, List<InMemoryDatabase.Backup> backups) {
        List<InMemoryDatabase> all = at(place);
        for (int i = 0; i < all.size(); i++) {
            all.get(i).restore(backups.get(i));
        }
    }

    int places() {
        return division.places();
    }

    void restart(int place) {
        at(place).forEach(InMemoryDatabase::restart);
    }

    /** Whether the row of this key, or what is beside it, is at a place. */
    boolean isAt(int place, String key) {
        return division.placeOf(division.slotOf(key)) == place;
    }
}
