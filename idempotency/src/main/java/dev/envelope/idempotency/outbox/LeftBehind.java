package dev.envelope.idempotency.outbox;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.outbox.Sending.Lane;
import dev.envelope.idempotency.store.OutboxStore.Waiting;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Records that were refused individually, and those behind them of the same keys, until they are
 * tried again. Meanwhile the outbox is read without them, so that a few records that are too large
 * don't block the others.
 *
 * <p>Threads: one thread, the relay's.
 */
final class LeftBehind {

    /** Beyond this the relay waits instead, since each read names all of them. */
    private static final int MOST = 10_000;

    private final Set<Long> positions = new HashSet<>();
    private final Set<Lane> lanes = new HashSet<>();
    private @Nullable Incarnation incarnation;

    /** The positions to leave out of a read. */
    List<Long> positions() {
        return List.copyOf(positions);
    }

    /** The keys of which nothing may be sent now: it would overtake a record that is left. */
    Set<Lane> lanes() {
        return lanes;
    }

    void add(List<Waiting> records, Incarnation readIn) {
        incarnation = readIn;
        for (Waiting record : records) {
            positions.add(record.position());
            Lane lane = Lane.of(record);
            if (lane != null) {
                lanes.add(lane);
            }
        }
    }

    /**
     * Whether they were read in another incarnation, so that their positions may be those of other
     * records now.
     */
    boolean isNotOf(Incarnation present) {
        return incarnation != null && !incarnation.equals(present);
    }

    void clear() {
        positions.clear();
        lanes.clear();
        incarnation = null;
    }

    boolean isEmpty() {
        return positions.isEmpty();
    }

    /** Whether there are too many to read the records behind them. */
    boolean isFull() {
        return positions.size() >= MOST;
    }
}
