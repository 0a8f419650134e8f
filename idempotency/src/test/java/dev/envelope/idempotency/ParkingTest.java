package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.fold.SetAside;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.row.ParkedMessage;
import org.junit.jupiter.api.Test;

/** A message that has failed for the last time, and what comes of its key then. */
final class ParkingTest {

    private final ParkingBench bench = new ParkingBench();

    @Test
    void aMessageThatIsGivenUpIsParkedWithAllThatComesAfterIt() {
        bench.handle(bench.envelope(null, 0, "x"));
        bench.giveUp(1, "bad", "y");
        bench.handle(bench.envelope(null, 3, "z"));

        assertThat(bench.state()).isEqualTo("x");
        assertThat(bench.row().marks().nextOffset(1)).isEqualTo(4);
        assertThat(bench.row().parked()).isEqualTo(3);
        assertThat(bench.parkedOffsets()).containsExactly(1L, 2L, 3L);
        assertThat(bench.database.parked())
                .extracting(ParkedMessage::reason)
                .containsExactly(SetAside.FAILED, SetAside.BEHIND, SetAside.BEHIND);
        assertThat(bench.database.parked().get(0).attempts()).isEqualTo(3);
        assertThat(bench.database.parked().get(0).error()).contains("it is bad");
    }

    @Test
    void theKeyStaysParkedOverARestart() {
        bench.giveUp(0, "bad");
        IdempotentHandler<String> later = bench.handler();
        HandTurn turn = new HandTurn(bench.envelope(null, 1, "x"));

        later.handle(turn);

        assertThat(turn.outcome(0)).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.parkedOffsets()).containsExactly(0L, 1L);
        assertThat(bench.state()).isEmpty();
    }

    @Test
    void aMessageThatSomebodyElseHasAppliedMeanwhileIsNotParked() {
        bench.handle(bench.envelope(null, 0, "x"));

        bench.giveUp(0, "x", "y");

        assertThat(bench.parkedOffsets()).isEmpty();
        assertThat(bench.state()).isEqualTo("xy");
    }

    @Test
    void bytesThatCanNotBeDecodedAreParkedAsSuch() {
        Outcome outcome = bench.handle(bench.envelope(null, 0, "?", "x"));
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        Outcome.Failed failed = (Outcome.Failed) outcome;

        bench.handle(bench.envelope(new GivenUp(1, failed.cause()), 0, "?", "x"));

        assertThat(bench.database.parked())
                .extracting(ParkedMessage::reason)
                .containsExactly(SetAside.UNDECODABLE, SetAside.BEHIND);
    }

    @Test
    void whatIsParkedAgainAndAgainWhileOthersAreRedrivenDoesNotRepeatWhatTheyEmit() {
        bench.giveUp(0, "bad", "y");
        bench.bad.clear();
        int[] more = {2};
        bench.inFold(
                message -> {
                    if (message.offset() < 2) {
                        bench.handle(bench.envelope(null, more[0]++, "z"));
                    }
                });

        assertThat(bench.asked(Action.REDRIVE, null)).startsWith("redrove ");

        assertThat(String.join("", bench.emitted())).isEqualTo(bench.state());
    }
}
