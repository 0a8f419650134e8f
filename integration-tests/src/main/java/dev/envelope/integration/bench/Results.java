package dev.envelope.integration.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * All measurements, by workload, contestant and round.
 *
 * <p>Threads: one at a time.
 */
final class Results {

    /** Where a measurement belongs. */
    private record Place(Workload workload, Contestant contestant) {}

    private final Map<Place, Map<Integer, Measurement>> rounds = new LinkedHashMap<>();
    private final List<String> disqualifications = new ArrayList<>();

    void add(Workload workload, Contestant contestant, int round, Measurement measurement) {
        rounds.computeIfAbsent(new Place(workload, contestant), place -> new LinkedHashMap<>())
                .put(round, measurement);
    }

    void disqualify(Workload workload, Contestant contestant, int round, String why) {
        disqualifications.add(
                "round %d, %s, %s: %s".formatted(round, workload.title(), contestant.title(), why));
    }

    List<String> disqualifications() {
        return disqualifications;
    }

    /** By round; rounds in which it was disqualified are missing. */
    Map<Integer, Measurement> of(Workload workload, Contestant contestant) {
        return rounds.getOrDefault(new Place(workload, contestant), Map.of());
    }

    /** Over the rounds; empty if there is none. */
    Optional<Spread> spread(
            Workload workload, Contestant contestant, ToDoubleFunction<Measurement> quantity) {
        return Spread.of(
                of(workload, contestant).values().stream().mapToDouble(quantity).toArray());
    }

    /** How many times as fast one is as the other, compared within each round. */
    Optional<Spread> ratio(Workload workload, Contestant one, Contestant other) {
        Map<Integer, Measurement> others = of(workload, other);
        List<Double> ratios = new ArrayList<>();
        of(workload, one)
                .forEach(
                        (round, measured) -> {
                            Measurement beside = others.get(round);
                            if (beside != null) {
                                ratios.add(measured.recordsPerSecond() / beside.recordsPerSecond());
                            }
                        });
        return Spread.of(ratios.stream().mapToDouble(ratio -> ratio).toArray());
    }
}
