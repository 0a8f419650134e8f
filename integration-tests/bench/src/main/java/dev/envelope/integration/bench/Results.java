package dev.envelope.integration.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * All measurements, by scenario, contestant and round.
 *
 * <p>Threads: one at a time.
 */
final class Results {

    /** Where measurements belong, by names: a scenario may have been made smaller. */
    private record Place(String scenario, String contestant) {}

    private final Map<Place, Map<Integer, Measurement>> rounds = new LinkedHashMap<>();
    private final List<String> disqualifications = new ArrayList<>();

    void add(Scenario scenario, Contestant contestant, int round, Measurement measurement) {
        rounds.computeIfAbsent(
                        new Place(scenario.name(), contestant.name()),
                        place -> new LinkedHashMap<>())
                .put(round, measurement);
    }

    void disqualify(Scenario scenario, Contestant contestant, int round, String why) {
        disqualifications.add(
                "round %d, %s, %s: %s".formatted(round, scenario.title(), contestant.title(), why));
    }

    List<String> disqualifications() {
        return disqualifications;
    }

    /** By round; rounds in which it was disqualified are missing. */
    Map<Integer, Measurement> of(String scenario, Contestant contestant) {
        return rounds.getOrDefault(new Place(scenario, contestant.name()), Map.of());
    }

    /** Over the rounds; empty if there is none. */
    Optional<Spread> spread(
            String scenario,
            Contestant contestant,
            Function<Measurement, Optional<Double>> quantity) {
        return Spread.of(
                of(scenario, contestant).values().stream()
                        .map(quantity)
                        .flatMap(Optional::stream)
                        .mapToDouble(value -> value)
                        .toArray());
    }

    /** How many times as fast one is as the other, compared within each round. */
    Optional<Spread> ratio(String scenario, Contestant one, Contestant other) {
        return ratio(
                of(scenario, one),
                of(scenario, other),
                measured -> Optional.of(measured.recordsPerSecond()));
    }

    /** A quantity relative to that of others, compared within each round. */
    static Optional<Spread> ratio(
            Map<Integer, Measurement> ones,
            Map<Integer, Measurement> others,
            Function<Measurement, Optional<Double>> quantity) {
        List<Double> ratios = new ArrayList<>();
        ones.forEach(
                (round, measured) -> {
                    Optional<Double> one = quantity.apply(measured);
                    Optional<Double> other =
                            Optional.ofNullable(others.get(round)).flatMap(quantity);
                    if (one.isPresent() && other.isPresent()) {
                        ratios.add(one.get() / other.get());
                    }
                });
        return Spread.of(ratios.stream().mapToDouble(ratio -> ratio).toArray());
    }
}
