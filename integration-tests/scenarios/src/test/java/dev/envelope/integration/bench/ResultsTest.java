package dev.envelope.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResultsTest {

    private static final Scenario KEYS = Scenario.find("100k").orElseThrow();

    private final Results results = new Results();

    @Test
    void theMedianOfAnEvenNumberLiesBetweenTheTwoInTheMiddle() {
        assertThat(Spread.of(new double[] {4, 1, 3, 10})).contains(new Spread(3.5, 1, 10));
        assertThat(Spread.of(new double[] {7, 1, 3})).contains(new Spread(3, 1, 7));
        assertThat(Spread.of(new double[0])).isEmpty();
        assertThat(new Spread(1234.5, 1, 20_000).text(1)).isEqualTo("1,234.5 (1.0–20,000.0)");
    }

    @Test
    void ratiosAreTakenWithinARoundAndNotOfMedians() {
        add(Contestant.ENVELOPE, 1, 100);
        add(Contestant.ENVELOPE, 2, 300);
        add(Contestant.ENVELOPE, 3, 200);
        add(Contestant.LOOP, 1, 50);
        add(Contestant.LOOP, 2, 100);
        add(Contestant.LOOP, 3, 400);

        Spread ratio = results.ratio("100k", Contestant.ENVELOPE, Contestant.LOOP).orElseThrow();

        assertThat(ratio.median()).isCloseTo(2, within(1e-9));
        assertThat(ratio.min()).isCloseTo(0.5, within(1e-9));
        assertThat(ratio.max()).isCloseTo(3, within(1e-9));
    }

    @Test
    void aRoundInWhichOneWasDisqualifiedComparesNothing() {
        add(Contestant.ENVELOPE, 1, 100);
        add(Contestant.ENVELOPE, 2, 100);
        results.disqualify(KEYS, Contestant.LOOP, 1, "wrong rows");
        add(Contestant.LOOP, 2, 50);

        assertThat(results.ratio("100k", Contestant.ENVELOPE, Contestant.LOOP))
                .contains(new Spread(2, 2, 2));
        assertThat(results.disqualifications())
                .containsExactly("round 1, 100,000 keys, hand-written loop: wrong rows");
    }

    @Test
    void whatWasNotMeasuredHasNoSpread() {
        assertThat(results.spread("100k", Contestant.LOOP, m -> Optional.of(1.0))).isEmpty();
        assertThat(results.ratio("100k", Contestant.ENVELOPE, Contestant.LOOP)).isEmpty();
    }

    @Test
    void aGoalIsReachedByTheMedianAndLeftOutIfItWasNotAsked() {
        assertThat(Goals.answers(results)).isEmpty();
        add(Contestant.ENVELOPE, 1, 149);
        add(Contestant.LOOP, 1, 100);

        assertThat(Goals.answers(results))
                .containsExactly(
                        new Goal.Answer(
                                "100,000 keys", "hand-written loop", "≥ 1.5×", "1.49×", false));
    }

    @Test
    void aLatencyMayBeAFifthOrAMillisecondAboveTheLoops() {
        Scenario rate = Scenario.find("latency1000").orElseThrow();
        results.add(rate, Contestant.ENVELOPE, 1, latency(1.9, 30));
        results.add(rate, Contestant.LOOP, 1, latency(1.0, 10));

        assertThat(Goals.answers(results))
                .extracting(Goal.Answer::measured, Goal.Answer::isReached)
                .containsExactly(
                        tuple("1.9 against 1.0 ms", true), tuple("30.0 against 10.0 ms", false));
    }

    private static Measurement latency(double p50, double p99) {
        return new Measurement(
                1,
                1,
                Measurement.Cost.UNKNOWN,
                Map.of(Measurement.Extra.P50, p50, Measurement.Extra.P99, p99));
    }

    private void add(Contestant contestant, int round, long recordsPerSecond) {
        results.add(
                KEYS,
                contestant,
                round,
                new Measurement(recordsPerSecond, 1, Measurement.Cost.UNKNOWN, Map.of()));
    }
}
