package dev.envelope.idempotency.store;

import dev.envelope.idempotency.store.output.OutputStore.Place;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The outputs and relays of a database in memory.
 *
 * <p>Threads: guarded by the database.
 */
final class InMemoryOutputs {

    /** When a relay was seen that may be taken over at once. */
    static final long NEVER = Long.MIN_VALUE;

    /** The relay of outputs that are saved before their process has registered one. */
    static final int NONE_YET = 0;

    /**
     * A relay.
     *
     * @param start of the process; two are never equal
     * @param open the rows of its open batch
     */
    record Relay(
            int number,
            Object start,
            List<String> ids,
            long batch,
            List<Place> open,
            long seenAt,
            @Nullable Integer servedBy) {

        Relay under(List<String> others, long now) {
            return new Relay(number, start, List.copyOf(others), batch, open, now, servedBy);
        }

        Relay at(long otherBatch, List<Place> rows, long now) {
            return new Relay(number, start, ids, otherBatch, rows, now, servedBy);
        }

        Relay seen(long at) {
            return new Relay(number, start, ids, batch, open, at, servedBy);
        }

        Relay takenOverBy(int other) {
            return new Relay(number, start, ids, batch, List.of(), seenAt, other);
        }

        boolean isSilent(long now, long silence) {
            return seenAt == NEVER || now - seenAt > silence;
        }
    }

    /** What one save has put out, or a part of that. */
    record Saved(
            int relay,
            Place place,
            List<SavedOutput> outputs,
            long nanos,
            @Nullable Refusal refusal) {

        Saved of(List<SavedOutput> others) {
            return new Saved(relay, place, others, nanos, refusal);
        }

        /** Refused once more. */
        Saved refused(String why, long now) {
            Refusal next =
                    refusal == null
                            ? new Refusal(why, now, 1)
                            : new Refusal(why, refusal.since(), refusal.tries() + 1);
            return new Saved(relay, place, outputs, nanos, next);
        }
    }

    /** Why, since when and how often Kafka has refused a row. */
    record Refusal(String why, long since, int tries) {}

    final TreeMap<Integer, Relay> relays = new TreeMap<>();
    final TreeMap<Place, Saved> rows = new TreeMap<>();
    private int lastRelay;
    private long lastPosition;

    InMemoryOutputs() {
        relays.put(NONE_YET, new Relay(NONE_YET, "", List.of(), 0, List.of(), NEVER, null));
    }

    InMemoryOutputs(InMemoryOutputs other) {
        relays.putAll(other.relays);
        rows.putAll(other.rows);
        lastRelay = other.lastRelay;
        lastPosition = other.lastPosition;
    }

    int register(Object start, long now) {
        lastRelay++;
        relays.put(lastRelay, new Relay(lastRelay, start, List.of(), 0, List.of(), now, null));
        return lastRelay;
    }

    /** Saves what one save puts out, as one row. */
    void save(int relay, List<SavedOutput> outputs, long now) {
        if (!outputs.isEmpty()) {
            Place place = new Place(++lastPosition, 0);
            rows.put(place, new Saved(relay, place, List.copyOf(outputs), now, null));
        }
    }

    /** All that wait, in the order in which they were saved. */
    List<SavedOutput> all() {
        return rows.values().stream().flatMap(row -> row.outputs().stream()).toList();
    }
}
