package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.row.StateStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows that other sessions have locked. */
final class HandlerLocksTest {

    private final HandlerBench bench = new HandlerBench();

    @Test
    void aLockedRowIsLeftOutAndTheOthersAreSavedAtOnce() {
        bench.handle(new HandTurn(bench.envelope("a", 0, "x"), bench.envelope("b", 1, "x")));
        bench.store.lock("a");
        HandTurn turn =
                bench.handle(
                        new HandTurn(bench.envelope("a", 2, "y"), bench.envelope("b", 3, "y")));

        assertThat(turn.outcome(0)).isEqualTo(Outcome.Waiting.on(Doing.LOCKED));
        assertThat(turn.outcome(1)).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.store.ways())
                .containsExactly(
                        StateStore.Patience.WAIT,
                        StateStore.Patience.WAIT,
                        StateStore.Patience.SKIP);

        bench.store.unlock("a");
        assertThat(bench.handle(lockedBefore("a", 2, "y"))).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.store.ways().get(3)).isEqualTo(StateStore.Patience.SKIP);
        assertThat(bench.state("a")).isEqualTo("xy");
    }

    private Envelope lockedBefore(String key, long offset, String value) {
        return new Envelope(
                key, bench.envelope(key, offset, value).messages(), null, Doing.LOCKED, null);
    }

    /** A handler whose rows that are locked are waited for when the test says so. */
    private List<Runnable> waitElsewhere() {
        List<Runnable> waiting = new ArrayList<>();
        bench.handler =
                new IdempotentHandler<>(
                        bench.newFold(),
                        bench.store,
                        new SnapshotCache<>(1 << 20),
                        bench.counts,
                        IdempotentHandler.Bounds.NONE,
                        waiting::add);
        return waiting;
    }

    @Test
    void ofTheRowsThatAreLockedOneAtATimeIsWaitedForElsewhereAndTheOthersAreTriedAgain() {
        List<Runnable> waiting = waitElsewhere();
        bench.handle(new HandTurn(bench.envelope("a", 0, "x"), bench.envelope("b", 1, "x")));
        bench.store.lock("a");
        bench.store.lock("b");
        bench.handle(new HandTurn(bench.envelope("a", 2, "y"), bench.envelope("b", 3, "y")));

        HandTurn turn =
                bench.handle(new HandTurn(lockedBefore("b", 3, "y"), lockedBefore("a", 2, "y")));
        assertThat(turn.outcome(0)).as("not the first").isEqualTo(Outcome.Waiting.on(Doing.LOCKED));
        assertThat(turn.outcome(1)).as("left to another").isNull();
        assertThat(waiting).hasSize(1);
        HandTurn next = bench.handle(new HandTurn(lockedBefore("b", 3, "y")));
        assertThat(next.outcome(0)).isEqualTo(Outcome.Waiting.on(Doing.LOCKED));

        bench.store.unlock("a");
        waiting.remove(0).run();
        assertThat(bench.store.ways()).contains(StateStore.Patience.ALONE);
        assertThat(bench.state("a")).isEqualTo("xy");
        Envelope again =
                new Envelope(
                        "a",
                        bench.envelope("a", 2, "y").messages(),
                        turn.brought(),
                        Doing.LOCKED,
                        null);
        assertThat(bench.handle(again))
                .as("told, and not saved twice")
                .isInstanceOf(Outcome.Saved.class);
        assertThat(bench.state("a")).isEqualTo("xy");

        bench.handle(new HandTurn(lockedBefore("b", 3, "y")));
        assertThat(waiting).as("now it is the first").hasSize(1);
    }

    @Test
    void aRowThatIsLockedForLongerThanAStatementMayTakeComesAgain() {
        List<Runnable> waiting = waitElsewhere();
        bench.store.lock("a");
        bench.handle(bench.envelope("a", 0, "x"));
        HandTurn turn = bench.handle(new HandTurn(lockedBefore("a", 0, "x")));
        waiting.remove(0).run();

        assertThat(turn.isBroughtBack()).isTrue();
        assertThat(turn.brought()).isNull();
        bench.store.unlock("a");
        bench.handle(new HandTurn(lockedBefore("a", 0, "x")));
        waiting.remove(0).run();
        assertThat(bench.state("a")).isEqualTo("x");
    }

    @Test
    void aRowThatIsRefusedOnceItsLockIsFreeFailsInATurn() {
        List<Runnable> waiting = waitElsewhere();
        bench.store.lock("a");
        bench.handle(bench.envelope("a", 0, "x"));
        bench.handle(new HandTurn(lockedBefore("a", 0, "x")));
        bench.store.unlock("a");
        bench.store.faultIn(change -> change.key().equals("a"));
        waiting.remove(0).run();

        Outcome outcome = bench.handle(lockedBefore("a", 0, "x"));

        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        assertThat(waiting).isEmpty();
    }

    @Test
    void aFirstThatIsTriedNoMoreHoldsNobodyUp() {
        List<Runnable> waiting = waitElsewhere();
        bench.store.lock("a");
        bench.store.lock("b");
        bench.handle(bench.envelope("a", 0, "x"));
        bench.handle(bench.envelope("b", 1, "x"));
        for (int i = 0; i < 200 && waiting.isEmpty(); i++) {
            bench.handler.handle(new HandTurn(lockedBefore("b", 1, "x")));
        }
        assertThat(waiting).hasSize(1);
    }
}
