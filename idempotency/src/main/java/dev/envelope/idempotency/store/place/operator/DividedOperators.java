package dev.envelope.idempotency.store.place.operator;

import dev.envelope.core.key.Division;
import dev.envelope.idempotency.store.operator.Catalog;
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
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What operators see of rows that are divided: of a key, its slot; otherwise all slots. Pauses and
 * stopped partitions are those of the first slot.
 *
 * <p>Threads: thread-safe (a volatile reference, guarded by this where it is set; the slots' are).
 */
public final class DividedOperators implements OperatorStore {

    private final Supplier<Slots> find;
    private volatile @Nullable Slots found;

    /**
     * The stores of all slots.
     *
     * @param all by the numbers of the slots
     */
    public record Slots(Division division, List<OperatorStore> all) {}

    /**
     * @param find opens them, when they are needed first; may throw while that can't be done
     */
    public DividedOperators(Supplier<Slots> find) {
        this.find = find;
    }

    private synchronized Slots slots() {
        Slots before = found;
        Slots its = before == null ? find.get() : before;
        found = its;
        return its;
    }

    private OperatorStore home() {
        return slots().all().get(Catalogs.HOME);
    }

    private <C extends Catalog> Catalogs<C> catalogs(Function<OperatorStore, C> opening) {
        return new Catalogs<>(slots().division(), slots().all(), opening);
    }

    @Override
    public KeyCatalog keys() {
        return new Keys(catalogs(OperatorStore::keys));
    }

    @Override
    public ParkedCatalog parked() {
        return new DividedParked(catalogs(OperatorStore::parked));
    }

    @Override
    public RequestCatalog requests() {
        return new DividedRequests(catalogs(OperatorStore::requests));
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
        return new DividedOutputs(catalogs(OperatorStore::outputs));
    }

    @Override
    public LockCatalog locks() {
        return new Locks(catalogs(OperatorStore::locks));
    }

    @Override
    public void close() {
        Slots its = found;
        if (its != null) {
            its.all().forEach(OperatorStore::close);
        }
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
