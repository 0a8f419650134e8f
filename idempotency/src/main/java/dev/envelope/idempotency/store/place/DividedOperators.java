package dev.envelope.idempotency.store.place;

import dev.envelope.core.key.Division;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.operator.LockCatalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.OutputCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.PauseCatalog;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.operator.StoppedCatalog;
import java.util.List;
import java.util.Optional;

/**
 * What operators see of rows that are divided: of a key, its slot; otherwise all slots. Pauses and
 * stopped partitions are those of the first slot.
 *
 * <p>Threads: thread-safe (as the slots' are).
 */
public final class DividedOperators implements OperatorStore {

    private final Division division;
    private final List<OperatorStore> slots;

    /**
     * @param slots by their numbers
     */
    public DividedOperators(Division division, List<OperatorStore> slots) {
        this.division = division;
        this.slots = List.copyOf(slots);
    }

    private OperatorStore home() {
        return slots.get(Places.HOME);
    }

    @Override
    public KeyCatalog keys() {
        return new Keys(new Catalogs<>(division, slots, OperatorStore::keys));
    }

    @Override
    public ParkedCatalog parked() {
        return new DividedParked(new Catalogs<>(division, slots, OperatorStore::parked));
    }

    @Override
    public RequestCatalog requests() {
        return new DividedRequests(new Catalogs<>(division, slots, OperatorStore::requests));
    }

    @Override
    public PauseCatalog pauses() {
        return home().pauses();
    }

    @Override
    public StoppedCatalog stopped() {
        return home().stopped();
    }

    @Override
    public OutputCatalog outputs() {
        return new DividedOutputs(new Catalogs<>(division, slots, OperatorStore::outputs));
    }

    @Override
    public LockCatalog locks() {
        return new Locks(new Catalogs<>(division, slots, OperatorStore::locks));
    }

    @Override
    public void close() {
        slots.forEach(OperatorStore::close);
    }

    private record Keys(Catalogs<KeyCatalog> slots) implements KeyCatalog {

        @Override
        public Optional<Row> row(String key) {
            return slots.of(key).row(key);
        }

        @Override
        public List<Timer> timers(String key) {
            return slots.of(key).timers(key);
        }

        @Override
        public List<Asked> asked(String key) {
            return slots.of(key).asked(key);
        }

        @Override
        public void close() {
            slots.close();
        }
    }

    private record Locks(Catalogs<LockCatalog> slots) implements LockCatalog {

        @Override
        public List<Holder> ofRow(String key) {
            return slots.of(key).ofRow(key);
        }

        @Override
        public List<Holder> ofTable() {
            return slots.all().stream().flatMap(slot -> slot.ofTable().stream()).toList();
        }

        @Override
        public void close() {
            slots.close();
        }
    }
}
