package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.turn.FoldGuard;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A key whose row somebody has deleted by hand, while messages of it were parked. */
final class RowDeletedByHandTest {

    private final ParkingBench bench = new ParkingBench();

    @BeforeEach
    void delete() {
        bench.handle(bench.envelope(null, 0, "x"));
        bench.giveUp(1, "bad", "y", "z");
        bench.database.deleteRow("a");
    }

    @Test
    void whatIsParkedIsRedrivenIntoANewRow() {
        bench.bad.clear();

        assertThat(bench.asked(Action.REDRIVE, null)).isEqualTo("redrove 3");

        assertThat(bench.state()).isEqualTo("badyz");
        assertThat(bench.row().version()).isEqualTo(1);
        assertThat(bench.parkedOffsets()).isEmpty();
    }

    @Test
    void whatWasRedrivenIsNotAppliedAgainWhenTheLogIsRead() {
        bench.bad.clear();
        bench.asked(Action.REDRIVE, null);

        bench.handle(bench.envelope(null, 0, "x", "bad", "y", "z", "new"));

        assertThat(bench.state()).isEqualTo("badyznew");
    }

    @Test
    void itsFirstMessageIsSkippedAndTheOthersAreFolded() {
        assertThat(bench.asked(Action.SKIP, bench.firstPosition()))
                .isEqualTo("skipped 1, redrove 2");

        assertThat(bench.state()).isEqualTo("yz");
    }

    @Test
    void whatIsDroppedDoesNotComeBackWhenTheLogIsReadAgain() {
        assertThat(bench.asked(Action.DROP, null)).isEqualTo("dropped 3");

        bench.handle(bench.envelope(null, 1, "bad", "y", "z", "new"));

        assertThat(bench.state()).isEqualTo("new");
        assertThat(bench.parkedOffsets()).isEmpty();
    }

    @Test
    void aStateIsSetBeforeTheRestIsRedriven() {
        bench.bad.clear();
        Request set = bench.parked.askToRepair("a", Action.SET, 0, "\"s\"");
        bench.desk.turn(FoldGuard.NONE);
        assertThat(bench.parked.answerTo(set)).contains("set");
        assertThat(bench.row().parked()).isEqualTo(3);

        bench.handle(bench.envelope(null, 4, "n")); // behind those that are parked
        assertThat(bench.asked(Action.REDRIVE, null)).isEqualTo("redrove 4");

        assertThat(bench.state()).isEqualTo("sbadyzn");
    }

    @Test
    void aStateIsNotSetIfSomebodyHasMadeTheRowMeanwhile() {
        Request set = bench.parked.askToRepair("a", Action.SET, 0, "\"s\"");
        bench.handle(bench.envelope(null, 4, "n"));
        bench.desk.turn(FoldGuard.NONE);

        assertThat(bench.parked.answerTo(set).orElseThrow())
                .startsWith("not done: the row is at version 1, and was at 0");
        assertThat(bench.state()).isEqualTo("n");
    }

    @Test
    void whoeverIsFasterMakesTheRowAndWhatIsParkedIsFoldedIntoThatOne() {
        bench.bad.clear();
        bench.bad.add("n");
        Request redrive = bench.parked.ask("a", Action.REDRIVE, null);
        bench.beforeNextFold(() -> bench.giveUp(4, "n"));
        bench.desk.turn(FoldGuard.NONE);

        assertThat(bench.parked.answerTo(redrive).orElseThrow())
                .startsWith("redrove 3; then t-0@4 failed again");
        assertThat(bench.state()).isEqualTo("badyz");
        assertThat(bench.parkedOffsets()).containsExactly(4L);
        assertThat(bench.row().parked()).isEqualTo(1);
    }

    @Test
    void itGoesWithWhatIsParked() {
        Request delete = bench.parked.askToRepair("a", Action.DELETE, Request.ANY_VERSION, null);
        bench.desk.turn(FoldGuard.NONE);

        assertThat(bench.parked.answerTo(delete)).contains("deleted, with 3 parked messages");
        assertThat(bench.parkedOffsets()).isEmpty();
        assertThat(bench.row().state()).isNull();
    }

    @Test
    void inQuarantineItHasARowAgainSoThatNothingOvertakes() {
        assertThat(bench.asked(Action.QUARANTINE, null))
                .isEqualTo("what comes of it is parked, behind 3");

        bench.handle(bench.envelope(null, 4, "n"));

        assertThat(bench.parkedOffsets()).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void withNothingParkedThereIsNothingToDo() {
        bench.database.deleteParked(message -> true);

        assertThat(bench.asked(Action.REDRIVE, null)).isEqualTo("not done: the key has no row");
        assertThat(bench.database.rows()).isEmpty();
    }
}
