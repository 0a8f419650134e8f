package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.idempotency.store.place.SlotWatch;
import dev.envelope.idempotency.store.postgres.place.SlotSchemas.Here;
import dev.envelope.idempotency.store.postgres.sql.Database;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the names of the schemas at one place, and for slots that are not there at the other
 * places. A slot that is there in another schema than at the first look was gone meanwhile: its
 * rows may be those of an older copy.
 *
 * <p>Threads: thread-safe (a concurrent map).
 */
public final class PostgresSlotWatch implements SlotWatch {

    private final Database database;
    private final String place;
    private final String schema;
    private final List<Integer> slots;
    private final Map<String, SlotSite> sites;
    private final Map<Integer, Long> schemas = new ConcurrentHashMap<>(); // as first seen, by slot

    /**
     * @param place its name
     * @param schema without the number of a slot
     * @param slots those that this process takes to be there
     * @param sites all places that the settings name
     */
    public PostgresSlotWatch(
            Database database,
            String place,
            String schema,
            Collection<Integer> slots,
            Map<String, SlotSite> sites) {
        this.database = database;
        this.place = place;
        this.schema = schema;
        this.slots = List.copyOf(slots);
        this.sites = Map.copyOf(sites);
    }

    @Override
    public List<Away> look() {
        Map<Integer, Here> found =
                database.call(
                        database.background(),
                        null,
                        (connection, life) -> SlotSchemas.read(connection, schema));
        List<Away> away = new ArrayList<>();
        List<Integer> missing = new ArrayList<>();
        for (int slot : slots) {
            Here here = found.getOrDefault(slot, Here.NOTHING);
            if (!here.isHere()) {
                missing.add(slot);
            } else if (!schemas.computeIfAbsent(slot, it -> here.schema()).equals(here.schema())) {
                String why = "slot %d was gone from %s for a while".formatted(slot, place);
                away.add(new Away(slot, why, Reason.ELSEWHERE));
            }
        }
        if (!missing.isEmpty()) {
            SlotSearch all = SlotSearch.ofWhoeverAnswers(sites.values());
            missing.forEach(it -> away.add(away(it, found.getOrDefault(it, Here.NOTHING), all)));
        }
        return away;
    }

    private Away away(int slot, Here here, SlotSearch all) {
        @Nullable MoveNote note = here.moving() == null ? here.moved() : here.moving();
        List<String> at =
                all.placesOf(slot, place).stream().filter(it -> !it.equals(place)).toList();
        if (note != null) {
            boolean isMoving = here.moving() != null && !at.contains(note.place());
            return new Away(
                    slot,
                    new SlotSearch.Moving(slot, place, note).sentence(),
                    isMoving ? Reason.MOVES : Reason.ELSEWHERE);
        } else if (!at.isEmpty()) { // what was left of it may have been dropped meanwhile
            String why = "slot %d is at %s, and no longer at %s".formatted(slot, at.get(0), place);
            return new Away(slot, why, Reason.ELSEWHERE);
        }
        return new Away(slot, gone(slot, all), Reason.GONE);
    }

    private String gone(int slot, SlotSearch all) {
        Optional<String> known =
                all.moving(slot)
                        .map(SlotSearch.Moving::sentence)
                        .or(() -> all.away().isEmpty() ? all.lost(slot) : Optional.empty());
        return known.orElse(
                "slot %d is gone: %s has no schema of it%s"
                        .formatted(
                                slot,
                                place,
                                all.away().isEmpty()
                                        ? ""
                                        : ", and these do not answer: "
                                                + String.join(", ", all.away().keySet())));
    }
}
