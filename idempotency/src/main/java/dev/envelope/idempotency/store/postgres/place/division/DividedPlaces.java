package dev.envelope.idempotency.store.postgres.place.division;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.postgres.place.SlotSite;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All places that get slots of rows that are divided. The undivided rows are at one of them.
 *
 * <p>Threads: one thread.
 */
final class DividedPlaces implements AutoCloseable {

    private final SlotSite home;
    private final List<DividedPlace> all = new ArrayList<>();

    /** What is done at a place. */
    interface Work {
        void at(DividedPlace place) throws SQLException;
    }

    /**
     * Connects to all of them.
     *
     * @param home that of the undivided rows
     * @throws UnavailableException if one does not answer
     */
    DividedPlaces(Map<String, SlotSite> sites, List<String> placeOfSlot, SlotSite home) {
        this.home = home;
        Map<String, TreeSet<Integer>> slots = new TreeMap<>();
        for (int slot = 0; slot < placeOfSlot.size(); slot++) {
            slots.computeIfAbsent(placeOfSlot.get(slot), it -> new TreeSet<>()).add(slot);
        }
        slots.forEach(
                (place, its) -> {
                    SlotSite site = Objects.requireNonNull(sites.get(place));
                    try {
                        all.add(new DividedPlace(site, its, placeOfSlot.size()));
                    } catch (SQLException e) {
                        close();
                        throw site.failed(e);
                    }
                });
    }

    List<DividedPlace> all() {
        return all;
    }

    /** That which has a slot. */
    DividedPlace of(int slot) {
        return all.stream().filter(it -> it.slots().contains(slot)).findFirst().orElseThrow();
    }

    /** That of the undivided rows. */
    DividedPlace atHome() {
        return all.stream().filter(it -> it.site().equals(home)).findFirst().orElseThrow();
    }

    /**
     * Does the same at each of them.
     *
     * @throws UnavailableException with the name of the one where it failed
     */
    void each(Work work) throws SQLException {
        for (DividedPlace place : all) {
            try {
                work.at(place);
            } catch (RefusedSqlException e) {
                throw e;
            } catch (SQLException e) {
                throw place.site().failed(e);
            }
        }
    }

    /** Whether a slot has its name. */
    boolean isAnyNamed() throws SQLException {
        Set<Integer> named = new HashSet<>();
        each(
                place -> {
                    for (int slot : place.slots()) {
                        if (place.isNamed(slot)) {
                            named.add(slot);
                        }
                    }
                });
        return !named.isEmpty();
    }

    /**
     * Whether one and the same copy has filled all slots. A place that went back to an older copy
     * of itself has another one's note, or none.
     */
    boolean areFilled() throws SQLException {
        Set<Optional<String>> copies = new HashSet<>();
        each(
                place -> {
                    for (int slot : place.slots()) {
                        copies.add(place.copy(slot));
                    }
                });
        return copies.size() == 1 && !copies.contains(Optional.<String>empty());
    }

    @Override
    public void close() {
        all.forEach(DividedPlace::close);
    }
}
