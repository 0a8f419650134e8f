package dev.envelope.integration.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a row must hold after a save, worked out from what it held before and the records that are
 * due, independently of the engine. The records of one source come in their order; those of several
 * sources in any order with each other.
 *
 * <p>Threads: one thread.
 */
final class Effects {

    private record Spot(int source, int index) {}

    private final List<String> had;
    private final Predicate<String> mayMiss;
    private final List<List<SimRecord>> tails = new ArrayList<>(); // behind the last tombstone
    private boolean resets;
    private boolean mayReset; // a tombstone that is gone may have been applied before

    /**
     * @param had what the row held
     * @param mayMiss which records need not be there
     */
    Effects(List<String> had, Predicate<String> mayMiss) {
        this.had = had;
        this.mayMiss = mayMiss;
    }

    /** These are due, of one more source. */
    void due(List<SimRecord> records) {
        int tail = 0;
        for (int i = 0; i < records.size(); i++) {
            if (records.get(i).isTombstone()) {
                if (mayMiss.test(records.get(i).place())) {
                    mayReset = true;
                } else {
                    resets = true;
                    tail = i + 1;
                }
            }
        }
        tails.add(
                records.subList(tail, records.size()).stream()
                        .filter(it -> !it.isTombstone())
                        .toList());
    }

    /** What is wrong with what the row holds now; null if nothing is. */
    @Nullable String anomaly(List<String> has) {
        if (new HashSet<>(has).size() < has.size()) {
            return "duplicate-apply";
        }
        boolean goesOn = has.size() >= had.size() && has.subList(0, had.size()).equals(had);
        if (!resets && goesOn) {
            return compare(has.subList(had.size(), has.size()));
        }
        if (resets || mayReset) {
            return compare(has);
        }
        return has.containsAll(had) ? "reorder" : "lost-apply";
    }

    private @Nullable String compare(List<String> has) {
        Map<String, Spot> spots = new HashMap<>();
        for (int source = 0; source < tails.size(); source++) {
            for (int i = 0; i < tails.get(source).size(); i++) {
                spots.put(tails.get(source).get(i).place(), new Spot(source, i));
            }
        }
        int[] next = new int[tails.size()];
        for (String place : has) {
            Spot spot = spots.get(place);
            if (spot == null) {
                return had.contains(place) ? "duplicate-apply" : "unseen";
            }
            if (spot.index() < next[spot.source()]) {
                return "reorder";
            }
            if (!mayLack(spot.source(), next[spot.source()], spot.index())) {
                return "lost-apply";
            }
            next[spot.source()] = spot.index() + 1;
        }
        for (int source = 0; source < next.length; source++) {
            if (!mayLack(source, next[source], tails.get(source).size())) {
                return "lost-apply";
            }
        }
        return null;
    }

    private boolean mayLack(int source, int from, int to) {
        boolean isBeforeAll = from == 0 && (mayReset || (resets && tails.size() > 1));
        return isBeforeAll
                || tails.get(source).subList(from, to).stream()
                        .allMatch(it -> mayMiss.test(it.place()));
    }
}
