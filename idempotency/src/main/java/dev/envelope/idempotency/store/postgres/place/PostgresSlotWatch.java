package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.place.SlotWatch;
import dev.envelope.idempotency.store.postgres.place.SlotSchemas.Here;
import dev.envelope.idempotency.store.postgres.sql.Database;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the names of the schemas at one place, and where a slot is moved to whether it is there.
 *
 * @param place its name
 * @param schema without the number of a slot
 * @param slots those that this process takes to be there
 * @param sites all places that the settings name
 */
public record PostgresSlotWatch(
        Database database,
        String place,
        String schema,
        Collection<Integer> slots,
        Map<String, SlotSite> sites)
        implements SlotWatch {

    @Override
    public List<Away> look() {
        Map<Integer, Here> found =
                database.call(
                        database.background(),
                        null,
                        (connection, life) -> SlotSchemas.read(connection, schema));
        List<Away> away = new ArrayList<>();
        for (int slot : slots) {
            Here here = found.getOrDefault(slot, Here.NOTHING);
            @Nullable MoveNote note = here.moving() == null ? here.moved() : here.moving();
            if (!here.isHere() && note != null) {
                away.add(
                        new Away(
                                slot,
                                new SlotSearch.Moving(slot, place, note).sentence(),
                                here.moving() == null || isThere(slot, note.place())
                                        ? Reason.ELSEWHERE
                                        : Reason.MOVES));
            } else if (!here.isHere()) {
                away.add(notHere(slot));
            }
        }
        return away;
    }

    /** What was left of it may have been dropped while this process did not look. */
    private Away notHere(int slot) {
        return sites.keySet().stream()
                .filter(it -> !it.equals(place) && isThere(slot, it))
                .findFirst()
                .map(
                        it ->
                                new Away(
                                        slot,
                                        "slot %d is at %s, and no longer at %s"
                                                .formatted(slot, it, place),
                                        Reason.ELSEWHERE))
                .orElseGet(() -> new Away(slot, gone(slot), Reason.GONE));
    }

    private String gone(int slot) {
        return SlotSearch.ofThoseThatAnswer(sites.values())
                .lost(slot)
                .orElse("slot %d is gone: %s has no schema of it".formatted(slot, place));
    }

    private boolean isThere(int slot, String target) {
        SlotSite site = sites.get(target);
        try {
            return site != null && !SlotSearch.of(List.of(site)).placesOf(slot, target).isEmpty();
        } catch (UnavailableException e) {
            return false;
        }
    }
}
