package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.turn.Outcome;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Turns whose rows are more than a load brings. */
class LargeTurnTest {

    private final HandlerBench bench = new HandlerBench();

    @Test
    void whatALoadLeavesOutComesAgainInALaterTurn() {
        bench.elsewhere("a", 0, "x");
        bench.elsewhere("b", 1, "x");
        bench.handle(bench.envelope("a", 0, "x")); // the guess is off: rows are loaded
        bench.store.leaveOut("b");
        HandTurn turn =
                bench.handle(
                        new HandTurn(bench.envelope("a", 2, "y"), bench.envelope("b", 3, "y")));

        assertThat(turn.outcome(0)).isInstanceOf(Outcome.Saved.class);
        assertThat(turn.outcome(1)).isEqualTo(Outcome.Deferred.NOT_BEGUN);
        assertThat(bench.handle(bench.envelope("b", 3, "y"))).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.state("b")).isEqualTo("xy");
    }

    /** What was put off comes first in a turn: it is left out once, if its row is large. */
    @Test
    void rowsAreAskedForInTheOrderOfTheTurn() {
        List<String> keys = List.of("q", "c", "x", "a", "m", "b");
        Envelope[] envelopes =
                IntStream.range(0, keys.size())
                        .mapToObj(at -> bench.envelope(keys.get(at), at, "x"))
                        .toArray(Envelope[]::new);
        bench.handle(bench.envelope("first", 10, "x")); // the guess is off: rows are loaded
        bench.store.loads().clear();

        bench.handle(new HandTurn(envelopes));

        assertThat(List.copyOf(bench.store.loads().get(0))).isEqualTo(keys);
    }
}
