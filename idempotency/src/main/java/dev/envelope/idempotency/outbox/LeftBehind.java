package dev.envelope.idempotency.outbox;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.outbox.Sending.Lane;
import dev.envelope.idempotency.store.OutboxStore.Waiting;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Records that were refused for their own sake, and what waits behind each of its key, until they
 * are tried again. Meanwhile the outbox is read without them, so that a few that are too large keep
 * nobody else's back.
 *
 * <p>Threads: one thread, the relay's.
 */
final class LeftBehind {

    /** With that many it is better to wait: they are named in every read. */
    private static final int MOST = 10_000;

    private final Set<Long> positions = new HashSet<>();
    private final Set<Lane> lanes = new HashSet<>();
    private @Nullable Incarnation incarnation;

    /** The places to be left out of a read. */
    List<Long> positions() {
        return List.copyOf(positions);
    }

    /** The keys of which nothing may be sent now: it would overtake. */
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

    /** Whether they were read in another life: their places may be those of others now. */
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

    /** Whether there are too many to read behind them. */
    boolean isFull() {
        return positions.size() >= MOST;
    }
}
