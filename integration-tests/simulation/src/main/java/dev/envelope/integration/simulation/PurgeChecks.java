package dev.envelope.integration.simulation;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.store.row.Snapshot;
import java.util.HashMap;
import java.util.Map;

/**
 * What purged rows had applied: it stays applied, and is not applied anew to the rows that come
 * after them.
 *
 * <p>Threads: one thread.
 */
final class PurgeChecks {

    private final World world;
    private final Map<String, Map<Integer, NextOffset>> purged = new HashMap<>(); // marks, by key

    PurgeChecks(World world) {
        this.world = world;
    }

    void purged(Snapshot row) {
        world.faults().landed(Fault.PURGED);
        Map<Integer, NextOffset> wider = wider(row.key(), RowChecks.marks(row));
        purged.put(row.key(), wider);
    }

    /** These marks of a row, and of sources that it does not know those of the row before it. */
    Map<Integer, NextOffset> wider(String key, Map<Integer, NextOffset> marks) {
        Map<Integer, NextOffset> former = purged.get(key);
        if (former == null) {
            return marks;
        }
        Map<Integer, NextOffset> all = new HashMap<>(former);
        all.putAll(marks);
        return all;
    }

    void turnBegins(Turn turn) {
        for (Envelope envelope : turn.envelopes()) {
            Map<Integer, NextOffset> former = purged.get(envelope.key());
            if (former != null && envelope.messages().stream().anyMatch(it -> isOf(former, it))) {
                world.faults().landed(Fault.PURGED_READ_AGAIN);
            }
        }
    }

    private static boolean isOf(Map<Integer, NextOffset> former, Message message) {
        NextOffset next = former.get(message.epoch().source());
        return next != null && message.offset() < next.offset();
    }

    /** What it knows now, to go back to with the database. */
    Map<String, Map<Integer, NextOffset>> known() {
        return Map.copyOf(purged);
    }

    /** Those of a place go back. */
    void goBack(int place, Map<String, Map<Integer, NextOffset>> known) {
        purged.keySet().removeIf(key -> world.database().isAt(place, key));
        known.forEach(
                (key, marks) -> {
                    if (world.database().isAt(place, key)) {
                        purged.put(key, marks);
                    }
                });
    }
}
