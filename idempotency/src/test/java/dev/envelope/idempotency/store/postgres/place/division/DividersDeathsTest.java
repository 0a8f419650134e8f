package dev.envelope.idempotency.store.postgres.place.division;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.postgres.place.Sleeper;
import dev.envelope.idempotency.store.postgres.place.division.SlotDivision.Step;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever divides rows dies, or stands still, and somebody goes on. */
@Tag("long")
class DividersDeathsTest extends DivisionBench {

    @ParameterizedTest
    @EnumSource(Step.class)
    void whoeverCallsItAgainGoesOnWhereADividerDied(Step at) {
        if (at == Step.PREPARED || at == Step.COPIED) {
            assertThatThrownBy(() -> division(new Mortal(at)).copy("tester"))
                    .isInstanceOf(Died.class);
            copy();
        } else {
            copy();
            change();
        }
        Map<String, List<String>> before = undividedRows();
        if (at == Step.PREPARED || at == Step.COPIED) {
            finish();
        } else {
            assertThatThrownBy(() -> division(new Mortal(at)).finish("tester"))
                    .isInstanceOf(Died.class);
            if (at == Step.DONE) {
                assertThatThrownBy(this::finish).hasMessageContaining("were divided already");
            } else {
                assertThatThrownBy(this::copy).isInstanceOf(RefusedException.class);
                finish();
            }
        }
        assertDivided(before);
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"HIDDEN", "QUIET", "CAUGHT_UP", "FILLED", "COUNTED"})
    void aDivisionThatIsNotDoneIsTakenBack(Step at) {
        Map<String, List<String>> before = undividedRows();
        assertThatThrownBy(() -> division(new Mortal(at)).finish("tester"))
                .isInstanceOf(Died.class);
        assertThat(UndividedRows.stage(Objects.requireNonNull(sites.get("main"))))
                .isEqualTo(UndividedRows.Stage.DIVIDING);
        assertThat(division(QUIETLY).abandon()).contains("as before");
        assertThat(undividedRows()).isEqualTo(before);
        assertThat(
                        main.query(
                                "SELECT count(*) FROM pg_namespace WHERE nspname LIKE '"
                                        + schema
                                        + "\\_%'"))
                .isEqualTo("0");
        finish();
        assertDivided(before);
    }

    @Test
    void onceASlotHasItsNameThereIsNoWayBack() {
        Map<String, List<String>> before = undividedRows();
        assertThatThrownBy(() -> division(new Mortal(Step.NAMED)).finish("tester"))
                .isInstanceOf(Died.class);
        assertThatThrownBy(() -> division(QUIETLY).abandon())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("--finish");
        finish();
        assertDivided(before);
    }

    @Test
    void whoSawThatAllIsFilledLooksAgainOnceTheSchemasAreHis() {
        Map<String, List<String>> before = undividedRows();
        assertThatThrownBy(() -> division(new Mortal(Step.COUNTED)).finish("tester"))
                .isInstanceOf(Died.class);
        AtomicBoolean goneOn = new AtomicBoolean();
        SlotDivision late =
                new SlotDivision(
                        sites,
                        PLACES,
                        InstantSource.system(),
                        () -> { // when he claims them
                            if (goneOn.compareAndSet(false, true)) {
                                division(QUIETLY).abandon();
                                assertThatThrownBy(
                                                () ->
                                                        division(new Mortal(Step.CAUGHT_UP))
                                                                .finish("faster"))
                                        .isInstanceOf(Died.class);
                            }
                            return UUID.randomUUID().toString();
                        },
                        QUIETLY);
        assertThatThrownBy(() -> late.finish("late"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("somebody else has gone on");
        finish();
        assertDivided(before);
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"QUIET", "CAUGHT_UP", "COUNTED"})
    void aDividerWhoThawsAfterItWasTakenBackOrGoneOnWithWritesNothing(Step at) throws Exception {
        Map<String, List<String>> before = undividedRows();
        Sleeper<Step> sleeper = new Sleeper<>(at);
        var first =
                CompletableFuture.supplyAsync(
                        () -> division((step, words) -> sleeper.done(step)).finish("sleeper"));
        sleeper.awaitSleep();
        division(QUIETLY).abandon();
        copy();
        sleeper.wake();
        assertThatThrownBy(first::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(UnavailableException.class);
        assertThat(undividedRows()).isEqualTo(before);
        Sleeper<Step> other = new Sleeper<>(at);
        var second =
                CompletableFuture.supplyAsync(
                        () -> division((step, words) -> other.done(step)).finish("sleeper"));
        other.awaitSleep();
        finish();
        other.wake();
        assertThatThrownBy(second::get).isInstanceOf(ExecutionException.class);
        assertDivided(before);
    }
}
