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
            if (here.isHere()) {
                long before = schemas.computeIfAbsent(slot, it -> here.schema());
                if (here.schema() != before) {
                    String why = "slot %d was gone from %s for a while".formatted(slot, place);
                    away.add(new Away(slot, why, Reason.ELSEWHERE));
                }
            } else if (here.moving() != null) {
                away.add(leaving(slot, here.moving()));
            } else {
                missing.add(slot);
            }
        }
        if (!missing.isEmpty()) {
            SlotSearch all = SlotSearch.ofWhoeverAnswers(sites.values());
            missing.forEach(slot -> away.add(missing(slot, all)));
        }
        return away;
    }

    private Away leaving(int slot, MoveNote note) {
        SlotSite target = sites.get(note.place());
        boolean isThere =
                target != null
                        && !SlotSearch.ofWhoeverAnswers(List.of(target))
                                .placesOf(slot, note.place())
                                .isEmpty();
        return new Away(
                slot,
                new SlotSearch.Moving(slot, place, note).sentence(),
                isThere ? Reason.ELSEWHERE : Reason.MOVES);
    }

    /** A slot that is not here, and is not moved away from here. */
    private Away missing(int slot, SlotSearch all) {
        for (String other : all.placesOf(slot, place)) {
            if (!other.equals(place)) { // what was left of it here may have been dropped
                String why = "slot %d is at %s, and no longer at %s".formatted(slot, other, place);
                return new Away(slot, why, Reason.ELSEWHERE);
            }
        }
        Optional<SlotSearch.Moving> moving = all.moving(slot); // once more, from a copy
        if (moving.isPresent()) {
            return new Away(slot, moving.get().sentence(), Reason.MOVES);
        }
        return all.moved(slot)
                .filter(it -> !isLostAt(it.note().place(), all))
                .map(it -> new Away(slot, it.sentence(), Reason.ELSEWHERE))
                .orElseGet(() -> new Away(slot, gone(slot, all), Reason.GONE));
    }

    /** Whether a place has answered that should have the slot. */
    private boolean isLostAt(String target, SlotSearch all) {
        return sites.containsKey(target) && !all.away().containsKey(target);
    }

    private String gone(int slot, SlotSearch all) {
        String whoIsAway =
                all.away().isEmpty()
                        ? ""
                        : ", and these do not answer: " + String.join(", ", all.away().keySet());
        return all.lost(slot)
                .orElse("slot %d is gone: %s has no schema of it".formatted(slot, place))
                .concat(whoIsAway);
    }
}
