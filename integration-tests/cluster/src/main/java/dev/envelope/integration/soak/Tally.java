package dev.envelope.integration.soak;

import java.util.ArrayList;
import java.util.List;

/**
 * How often one kind of fault has struck, and how long everything took to heal then.
 *
 * <p>Threads: immutable.
 *
 * @param medianHealMillis from the end of the fault until all was done that was in the log then
 */
record Tally(FaultKind kind, int struck, int landed, long medianHealMillis, long worstHealMillis) {

    /** Of all kinds that have struck. */
    static List<Tally> of(SoakResult result) {
        List<Tally> tallies = new ArrayList<>();
        for (FaultKind kind : FaultKind.values()) {
            List<Strike> strikes =
                    result.course().strikes().stream().filter(it -> it.kind() == kind).toList();
            if (!strikes.isEmpty()) {
                List<Long> heals =
                        strikes.stream()
                                .filter(result.heals()::containsKey)
                                .map(it -> result.heals().getOrDefault(it, 0L))
                                .sorted()
                                .toList();
                tallies.add(
                        new Tally(
                                kind,
                                strikes.size(),
                                (int) strikes.stream().filter(Strike::landed).count(),
                                heals.isEmpty() ? 0 : heals.get(heals.size() / 2),
                                heals.isEmpty() ? 0 : heals.get(heals.size() - 1)));
            }
        }
        return tallies;
    }
}
