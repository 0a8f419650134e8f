package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Pauses;
import dev.envelope.idempotency.store.OutboxStore;
import dev.envelope.idempotency.store.SourceCopies;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.place.DividedStore;
import dev.envelope.idempotency.store.place.Place;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.StateStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Slots in schemas of their own, at one place or at several. */
final class PlacesFixture implements StoreFixture {

    private final List<PostgresFixture> slots;
    private final DividedStore store;

    PlacesFixture(Division division) {
        this.slots = Stream.generate(PostgresFixture::new).limit(division.slots()).toList();
        List<Place> places = new ArrayList<>();
        for (int place = 0; place < division.places(); place++) {
            SortedMap<Integer, PostgresSettings> its = new TreeMap<>();
            division.slotsAt(place).forEach(slot -> its.put(slot, slots.get(slot).settings()));
            places.add(PostgresStore.openPlace("place " + place, division, its, "start"));
        }
        this.store = new DividedStore(division, places, System::nanoTime);
    }

    /** The rows at the first place. */
    @Override
    public StateStore states() {
        store.checkpoints().incarnation();
        return store.shelves().get(0).states();
    }

    @Override
    public Checkpoints checkpoints() {
        return store.checkpoints();
    }

    @Override
    public List<ParkedRecord> parked() {
        return slots.stream().flatMap(slot -> slot.parked().stream()).toList();
    }

    @Override
    public List<String> skipped() {
        return home().skipped();
    }

    private PostgresFixture home() {
        return slots.get(0);
    }

    private PostgresFixture of(String key) {
        return slots.get(store.division().slotOf(key));
    }

    @Override
    public void deleteRow(String key) {
        of(key).deleteRow(key);
    }

    @Override
    public void purgedTo(int source, NextOffset next) {
        for (PostgresFixture slot : slots) {
            home().sources().all().stream()
                    .filter(it -> it.number() == source)
                    .forEach(it -> slot.sources().copy(it, it.start()));
            slot.purgedTo(source, next);
        }
    }

    @Override
    public void dropWithoutRow(int source, long offset) {
        slots.stream()
                .filter(slot -> !slot.parked().isEmpty())
                .forEach(slot -> slot.dropWithoutRow(source, offset));
    }

    @Override
    public boolean pause(Pauses.Kind kind, String name, Optional<Duration> time) {
        return home().pause(kind, name, time);
    }

    @Override
    public boolean resume(Pauses.Kind kind, String name) {
        return home().resume(kind, name);
    }

    @Override
    public boolean castsToJsonb(String key) {
        return of(key).castsToJsonb(key);
    }

    @Override
    public SourceCopies sources() {
        throw isOfASlot();
    }

    @Override
    public RowReads reads() {
        throw isOfASlot();
    }

    @Override
    public OutboxStore outbox(String process) {
        throw isOfASlot();
    }

    @Override
    public Started start(String process) {
        throw isOfASlot();
    }

    @Override
    public RequestStore requests(String process) {
        throw isOfASlot();
    }

    @Override
    public void ask(
            String key,
            Action action,
            @Nullable Long position,
            @Nullable Long version,
            @Nullable String state) {
        throw isOfASlot();
    }

    private static UnsupportedOperationException isOfASlot() {
        return new UnsupportedOperationException("each slot has its own");
    }

    @Override
    public void close() {
        store.close();
        slots.forEach(PostgresFixture::close);
    }
}
