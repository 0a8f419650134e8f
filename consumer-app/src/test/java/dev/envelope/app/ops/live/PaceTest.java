package dev.envelope.app.ops.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.SampleStatus;
import dev.envelope.app.ops.recent.Durations;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PaceTest {

    private long lag = 50_000;
    private long unacked = 10;
    private int busy = 4;
    private String pausedBecause = "";
    private boolean isStoreThere = true;

    private Optional<String> pace(double load, double fold, double save) {
        return Pace.inWords(status(), List.of(sample(9, load, fold, save)));
    }

    private ProcessStatus status() {
        return SampleStatus.of(SampleStatus.partition(0, lag, unacked, pausedBecause, false))
                .busy(busy)
                .isStoreThere(isStoreThere)
                .status();
    }

    private static History.Sample sample(long turns, double load, double fold, double save) {
        return new History.Sample(
                0,
                1_000,
                1_000,
                100,
                0,
                0,
                0,
                -1,
                Map.of(
                        "load", new Durations.Seen(turns, load, load),
                        "fold", new Durations.Seen(turns, fold, fold),
                        "save", new Durations.Seen(turns, save, save),
                        "turn", new Durations.Seen(turns, load + fold + save, load + fold + save)),
                Map.of());
    }

    @Test
    void whatTurnsSpendTheirTimeAtSetsThePace() {
        assertThat(pace(30, 5, 1_200))
                .contains(
                        "the database sets the pace: of a turn's 1,235 ms (median of 5 s) 30 ms are"
                                + " loading, 5.0 ms folding, 1,200 ms saving; 4 of 4 workers busy");
        assertThat(pace(30, 5_000, 12).orElse(""))
                .startsWith("the handler sets the pace: ")
                .contains("envelope pool add");
    }

    @Test
    void whereWorkersAreFreeItIsNeither() {
        busy = 1;

        assertThat(pace(30, 5, 1_200).orElse("")).startsWith("fetching sets the pace: ");
    }

    /** A few keys have it all, or somebody holds a partition: that is told elsewhere. */
    @Test
    void whereWorkersAreFreeAndMuchWaitsHereItIsNotTheFetching() {
        busy = 1;
        unacked = 1_001;
        assertThat(pace(30, 5, 1_200)).isEmpty();

        unacked = 10;
        pausedBecause = "an operator has paused it";
        assertThat(pace(30, 5, 1_200)).isEmpty();
    }

    @Test
    void inAnOutageNobodySetsThePace() {
        isStoreThere = false;
        assertThat(pace(30, 5, 1_200)).isEmpty();
    }

    @Test
    void whoKeepsUpIsNotSlow() {
        lag = 2_000;
        assertThat(pace(30, 5, 1_200)).isEmpty();
        lag = 2_001;
        assertThat(pace(30, 5, 1_200)).isPresent();
    }

    @Test
    void whileNoTurnEndsNothingIsKnownOfThePace() {
        assertThat(Pace.inWords(status(), List.of(sample(0, 0, 0, 0)))).isEmpty();
        assertThat(Pace.inWords(status(), List.of())).isEmpty();
    }
}
