package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.HandlerTimeoutException;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Handlers that take too long, and those that throw an error. */
final class HandlerTroubleTest {

    private final HandlerBench bench = new HandlerBench();

    private static Outcome.Failed failed(@Nullable Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed) {
            return failed;
        }
        throw new AssertionError("not failed: " + outcome);
    }

    @Test
    void whatAHandlerBringsThatTookTooLongIsAFailedAttemptAndWhatCameBeforeIsSaved() {
        HandTurn turn =
                bench.handle(new HandTurn(bench.envelope("a", 0, "x", "y", "z")).tooSlowAt(1L));

        Outcome.Failed failed = failed(turn.outcome(0));
        assertThat(failed.done().size()).isEqualTo(1);
        assertThat(failed.retryable()).isTrue();
        assertThat(failed.cause())
                .isInstanceOf(HandlerTimeoutException.class)
                .hasMessageContaining("took longer than handler.timeout");
        assertThat(bench.state("a")).isEqualTo("x");
    }

    @Test
    void whatAnInterruptedHandlerThrowsIsNamedInTheFailure() {
        HandTurn turn = bench.handle(new HandTurn(bench.envelope("a", 0, "boom")).tooSlowAt(0L));

        assertThat(failed(turn.outcome(0)).cause())
                .isInstanceOf(HandlerTimeoutException.class)
                .hasMessageContaining("then IllegalStateException: boom");
    }

    @Test
    void anInterruptThatUserCodeLeavesBehindIsNotFeltByTheNextMessage() {
        assertThat(bench.handle(bench.envelope("a", 0, "flag", "x")))
                .isInstanceOf(Outcome.Saved.class);

        assertThat(bench.state("a")).isEqualTo("flagx");
    }

    @Test
    void anInterruptThatEndedTheWaitForARegistryThatIsAwayIsNoAttempt() {
        HandTurn turn = bench.handle(new HandTurn(bench.envelope("a", 0, "#1")).tooSlowAt(0L));

        assertThat(turn.outcome(0)).isInstanceOf(Outcome.Waiting.class);
    }

    @Test
    void aDecoderThatHasWaitedForARegistryAndComesBackIsNoAttemptHoweverLongItTook() {
        HandTurn turn =
                bench.handle(new HandTurn(bench.envelope("a", 0, "x", "y")).slowToDecodeAt(1L));

        assertThat(turn.outcome(0)).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.state("a")).isEqualTo("xy");
    }

    @Test
    void anAttemptThatTookTooLongAndWasLeftBehindCountsWhenItComesBack() {
        bench.handle(bench.envelope("b", 0, "w")); // the guess is off: the row is loaded
        HandTurn taken =
                bench.handle(
                        new HandTurn(bench.envelope("a", 0, "x", "y"))
                                .tooSlowAt(1L)
                                .takenInTheNextFold());

        Envelope again =
                new Envelope(
                        "a",
                        bench.envelope("a", 0, "x", "y").messages(),
                        taken.brought(),
                        null,
                        null);
        assertThat(failed(bench.handle(again)).done().size()).isEqualTo(1);
        assertThat(bench.state("a")).isEqualTo("x");
    }

    @Test
    void anErrorIsAFailedAttemptAsAnyExceptionIs() {
        Error[] errors = {
            new StackOverflowError(), new AssertionError("no"), new NoClassDefFoundError("gone")
        };
        for (int i = 0; i < errors.length; i++) {
            bench.errors.put("error", errors[i]);

            Outcome.Failed failed = failed(bench.handle(bench.envelope("k" + i, 0, "x", "error")));

            assertThat(failed.done().size()).isEqualTo(1);
            assertThat(failed.cause()).isSameAs(errors[i]);
            assertThat(failed.retryable()).isTrue();
            assertThat(bench.state("k" + i)).isEqualTo("x");
        }
    }

    @Test
    void anErrorOfAFormatIsAFailedAttempt() {
        assertThat(failed(bench.handle(bench.envelope("a", 0, "<"))).cause())
                .isInstanceOf(StackOverflowError.class);
    }

    @Test
    void aStateThatOverflowsTheStackWhenItIsWrittenIsTheFaultOfItsMessage() {
        bench.handle(bench.envelope("a", 0, "x"));

        Outcome.Failed failed = failed(bench.handle(bench.envelope("a", 1, "endless")));

        assertThat(failed.retryable()).isFalse();
        assertThat(bench.state("a")).isEqualTo("x");
    }

    @Test
    void aStateThatACodecCannotReadAndDoesNotSayWhyIsOfAnotherVersionAndStaysAsItIs() {
        byte[] unreadable = "7".getBytes(StandardCharsets.UTF_8);
        Change ofAnotherRelease = new Change("a", 0, unreadable, Marks.NONE, null, 0, List.of());
        bench.store.save(List.of(ofAnotherRelease), Patience.WAIT, bench.life);

        assertThat(bench.handle(bench.envelope("a", 0, "x")))
                .isInstanceOfSatisfying(
                        Outcome.Waiting.class,
                        it -> assertThat(it.why()).isEqualTo(Doing.OTHER_VERSION));
        assertThat(bench.row("a").state()).isEqualTo(unreadable);
    }

    @Test
    void runningOutOfMemoryEndsTheTurnAndLeavesWhatWasBeingFoldedToBeSeen() {
        OutOfMemoryError error = new OutOfMemoryError("said by the test");
        bench.errors.put("memory", error);
        HandTurn turn = new HandTurn(bench.envelope("a", 0, "x", "memory", "y"));

        assertThatThrownBy(() -> bench.handler.handle(turn)).isSameAs(error);

        assertThat(turn.settled()).isZero();
        assertThat(bench.database.rows()).isEmpty();
        assertThat(turn.userCodeAt()).hasToString(bench.message(1, "a", "memory").toString());
    }
}
