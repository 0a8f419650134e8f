package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.pin.PinsOfSlots;
import dev.envelope.idempotency.store.postgres.place.SlotSchemas.Here;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Where the slots of an application are, as just seen. Several places may be one database.
 *
 * @param found what each place that has answered has, by its name
 * @param databases tells the database of a place from others
 * @param away why each of the others did not answer
 */
public record SlotSearch(
        Map<String, SortedMap<Integer, Here>> found,
        Map<String, String> databases,
        Map<String, String> away) {

    private static final String DATABASE =
            "SELECT " + ServerLife.START_MICROS + " || ' ' || pg_catalog.current_database()";

    /** The first start pins their number in each slot, once all of them are there. */
    private static final String COUNT = "SELECT value::int FROM %1$s.pin WHERE name = ?";

    /** Moves take longer than rounds; who moves many slots one after the other ends, too. */
    private static final int MOST_ROUNDS = 10;

    private static final SortedMap<Integer, Here> NOTHING = Collections.emptySortedMap();

    /** A slot that is between two places, or that was moved. */
    public record Moving(int slot, String from, MoveNote note) {

        /** In a sentence. */
        public String sentence() {
            return (note.kind() == MoveNote.Kind.MOVING
                            ? "slot %d is being moved from %s to %s since %s by %s"
                            : "slot %d was moved from %s to %s at %s by %s")
                    .formatted(slot, from, note.place(), note.since(), note.by());
        }
    }

    /**
     * Asks each of them.
     *
     * @throws UnavailableException with the name of one that does not answer
     */
    public static SlotSearch of(Collection<SlotSite> sites) {
        return steady(sites, SlotSearch::ask);
    }

    /**
     * Asks each of them, and goes on without those that don't answer.
     *
     * @throws RefusedException with the name of one that answers, and refuses
     */
    public static SlotSearch ofThoseThatAnswer(Collection<SlotSite> sites) {
        return without(e -> !(e instanceof RefusedException), sites);
    }

    /** Asks each of them, and goes on without those that don't answer or refuse. */
    static SlotSearch ofWhoeverAnswers(Collection<SlotSite> sites) {
        return without(e -> true, sites);
    }

    private static SlotSearch without(
            Predicate<UnavailableException> isAway, Collection<SlotSite> sites) {
        return steady(
                sites,
                (search, site) -> {
                    try {
                        search.ask(site);
                    } catch (UnavailableException e) {
                        if (!isAway.test(e)) {
                            throw e;
                        }
                        search.away.put(site.place(), String.valueOf(e.getMessage()));
                    }
                });
    }

    /**
     * Asks one place after the other, until two rounds have seen the same: between them all of it
     * was so at once. A slot that is moved within a round may be seen at both places, or at none.
     */
    private static SlotSearch steady(
            Collection<SlotSite> sites, BiConsumer<SlotSearch, SlotSite> ask) {
        SlotSearch seen = new SlotSearch();
        for (SlotSite site : sites) {
            ask.accept(seen, site);
        }
        for (int round = 1; sites.size() > 1 && round < MOST_ROUNDS; round++) {
            SlotSearch again = seen.askAgain(sites, ask);
            if (again.found.equals(seen.found)) {
                return again;
            }
            seen = again;
        }
        return seen;
    }

    private SlotSearch askAgain(Collection<SlotSite> sites, BiConsumer<SlotSearch, SlotSite> ask) {
        SlotSearch next = new SlotSearch();
        next.away.putAll(away);
        sites.stream()
                .filter(site -> found.containsKey(site.place()))
                .forEach(site -> ask.accept(next, site));
        return next;
    }

    private SlotSearch() {
        this(new LinkedHashMap<>(), new HashMap<>(), new LinkedHashMap<>());
    }

    private void ask(SlotSite site) {
        databases.put(
                site.place(),
                site.ask(it -> new Statements(it, "").one(DATABASE, row -> row.getString(1))));
        found.put(site.place(), site.ask(it -> SlotSchemas.read(it, site.settings().schema())));
    }

    private Here at(String place, int slot) {
        return Objects.requireNonNull(found.get(place)).getOrDefault(slot, Here.NOTHING);
    }

    /**
     * The places that have this slot: one, unless something is wrong or it is being moved.
     *
     * @param preferred of several that are one database
     */
    public List<String> placesOf(int slot, String preferred) {
        Map<String, String> byDatabase = new LinkedHashMap<>();
        for (String place : found.keySet()) {
            if (at(place, slot).isHere()) {
                byDatabase.merge(
                        databases.getOrDefault(place, ""),
                        place,
                        (one, other) -> other.equals(preferred) ? other : one);
            }
        }
        return List.copyOf(byDatabase.values());
    }

    /** Whether two places are one database. */
    boolean isOne(String place, String other) {
        return databases.getOrDefault(place, "").equals(databases.get(other));
    }

    /** Where this slot is moved from and to; empty if it is not. */
    public Optional<Moving> moving(int slot) {
        return found.keySet().stream()
                .flatMap(
                        place ->
                                Optional.ofNullable(at(place, slot).moving()).stream()
                                        .map(note -> new Moving(slot, place, note)))
                .findFirst();
    }

    /** Whether it is being moved away from one of them, or was. */
    public boolean hasLeft(int slot) {
        return moving(slot).isPresent() || moved(slot).isPresent();
    }

    /** Where this slot was moved to last; empty if it never was. */
    public Optional<Moving> moved(int slot) {
        return found.keySet().stream()
                .flatMap(
                        place ->
                                Optional.ofNullable(at(place, slot).moved()).stream()
                                        .map(note -> new Moving(slot, place, note)))
                .max(Comparator.comparing(it -> it.note().since()));
    }

    /** What can be done about a slot that was moved to a place which has lost it, in a sentence. */
    public Optional<String> lost(int slot) {
        return moved(slot)
                .filter(it -> found.containsKey(it.note().place()))
                .map(
                        it ->
                                "%s, and is not there: if %s went back to an older copy of itself, envelope slots move %d --to %s --again copies it once more, as it was when it was moved"
                                        .formatted(
                                                it.sentence(),
                                                it.note().place(),
                                                slot,
                                                it.note().place()));
    }

    /** How many slots a former start has made; empty if none has made all of them. */
    public OptionalInt count(Collection<SlotSite> sites) {
        for (SlotSite site : sites) {
            for (Map.Entry<Integer, Here> each :
                    found.getOrDefault(site.place(), NOTHING).entrySet()) {
                if (each.getValue().isHere()) {
                    OptionalInt count = count(site, each.getKey());
                    if (count.isPresent()) {
                        return count;
                    }
                }
            }
        }
        return OptionalInt.empty();
    }

    private static OptionalInt count(SlotSite site, int slot) {
        return site.ask(
                connection -> {
                    try {
                        return new Statements(connection, site.of(slot).quotedSchema())
                                .first(
                                        COUNT,
                                        row -> OptionalInt.of(row.getInt(1)),
                                        PinsOfSlots.COUNT)
                                .orElse(OptionalInt.empty());
                    } catch (SQLException e) {
                        if (SqlErrors.isUndefined(e)) { // it was just moved
                            return OptionalInt.empty();
                        }
                        throw e;
                    }
                });
    }
}
