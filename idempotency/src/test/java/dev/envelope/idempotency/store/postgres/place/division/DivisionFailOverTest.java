package dev.envelope.idempotency.store.postgres.place.division;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.postgres.place.division.SlotDivision.Step;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A database goes back to an older copy while rows are divided. */
@Tag("long")
class DivisionFailOverTest extends DivisionBench {

    /** Sets a database aside as it is. Nobody may be connected. */
    private static void keep(String name) {
        SERVER.execute("CREATE DATABASE division_%1$s_kept TEMPLATE division_%1$s".formatted(name));
    }

    /** A database is again as it was kept, as a standby would be that was behind. */
    private static void failOver(String name) {
        SERVER.execute("DROP DATABASE division_%s WITH (FORCE)".formatted(name));
        SERVER.execute("ALTER DATABASE division_%1$s_kept RENAME TO division_%1$s".formatted(name));
    }

    /** The place b gets its names first. */
    private void theOtherPlaceGoesBackAfterTheFirstHasItsNames(Step to) {
        assertThatThrownBy(() -> division(new Mortal(to)).finish("tester"))
                .isInstanceOf(Died.class);
        keep("main");
        assertThatThrownBy(() -> division(new Mortal(Step.NAMED)).finish("tester"))
                .isInstanceOf(Died.class);
        failOver("main");
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"HIDDEN", "CAUGHT_UP", "FILLED", "COUNTED"})
    void whatAPlaceHasLostBeforeItsSlotsHadTheirNamesIsCopiedAgain(Step at) {
        copy();
        change();
        Map<String, List<String>> before = undividedRows();
        theOtherPlaceGoesBackAfterTheFirstHasItsNames(at);
        finish();
        assertDivided(before);
        theTablesAreAsMigrationsMakeThem();
    }

    @Test
    void ifTheUndividedRowsAreAsBeforeTheLastStepAllOfItIsDoneAgain() {
        copy();
        keep("main");
        assertThatThrownBy(() -> division(new Mortal(Step.NAMED)).finish("tester"))
                .isInstanceOf(Died.class);
        failOver("main");
        change();
        Map<String, List<String>> before = undividedRows();
        finish();
        assertDivided(before);
    }

    @Test
    void aSlotThatWasUsedSinceItHasItsNameIsNotFilledAgain() {
        theOtherPlaceGoesBackAfterTheFirstHasItsNames(Step.CAUGHT_UP);
        b.execute("INSERT INTO %s.instance (name) VALUES ('one')".formatted(slot(1).schema()));
        assertThatThrownBy(this::finish)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("slot 1 at b was in use");
    }
}
