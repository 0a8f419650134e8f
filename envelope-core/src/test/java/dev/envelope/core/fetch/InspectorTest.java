package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Stage;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.status.Holdup;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Why a partition's committed offset does not move, as somebody sees it who looks from outside. */
final class InspectorTest {

    private final Loop loop = new Loop(Setup.DEFAULT);

    private List<Holdup> look() {
        loop.environment.advance(Duration.ofMillis(201));
        loop.engine.turn(); // writes down how things stand
        return loop.engine.inspector().holdups(loop.engine.loop().status());
    }

    private Standing only() {
        assertThat(look()).hasSize(1);
        return look().get(0).standing();
    }

    @Test
    void nothingHoldsUpWhatIsDurable() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.run(3);

        assertThat(look()).isEmpty();
        assertThat(loop.engine.inspector().standing(pad("a"))).isEmpty();
    }

    @Test
    void whatNoWorkerHasTakenYetIsQueuedForAsLongAsItIsHere() {
        loop.append(P0, "a", 4);
        loop.assignAndFind(P0);
        loop.engine.turn();

        Holdup holdup = look().get(0);
        assertThat(holdup.message()).hasToString("orders-0@0");
        assertThat(holdup.message().key()).isEqualTo(pad("a"));
        assertThat(holdup.standing().doing()).isEqualTo(Doing.QUEUED);
        assertThat(holdup.forSoLong()).isEqualTo(Duration.ofMillis(201));
        assertThat(holdup.partition().unacked()).isEqualTo(4);
    }

    @Test
    void aMessageThatFailsIsNamedWithItsAttemptsItsErrorAndWhatWaitsBehindIt() {
        loop.append(P0, "ok", 2);
        loop.append(P0, "bad", 3);
        loop.append(P0, "ok", 2);
        loop.handler.onKey(
                pad("bad"),
                envelope ->
                        new Outcome.Failed(
                                Dispositions.applied(0),
                                new IllegalStateException("no such account"),
                                true));
        loop.assignAndFind(P0);
        loop.engine.run(Duration.ofMillis(250));
        loop.append(P0, "bad", 1);
        loop.engine.run(2);

        Holdup holdup = look().get(0);
        assertThat(holdup.message().offset()).isEqualTo(2);
        assertThat(holdup.standing().doing()).isEqualTo(Doing.RETRYING);
        assertThat(holdup.standing().failedAttempts()).isEqualTo(2);
        assertThat(holdup.standing().trouble()).isEqualTo("IllegalStateException: no such account");
        assertThat(holdup.standing().messages()).isEqualTo(4);
        assertThat(holdup.partition().unacked()).isEqualTo(4);
    }

    @Test
    void oneThatHasFailedForTheLastTimeHasStoppedItsPartition() {
        loop.append(P0, "bad", 1);
        loop.handler.onKey(
                pad("bad"),
                envelope ->
                        new Outcome.Failed(
                                Dispositions.applied(0), new IllegalStateException("no"), false));
        loop.assignAndFind(P0);
        loop.engine.run(3);

        assertThat(only().doing()).isEqualTo(Doing.STOPPED);
        assertThat(look().get(0).partition().stopped()).isTrue();
    }

    @Test
    void aDatabaseThatDoesNotServeIsNamedWithWhatItSaid() {
        loop.append(P0, "a", 1);
        loop.handler.onAll(
                envelope -> new Outcome.Unavailable(new UnavailableException("disk full")));
        loop.assignAndFind(P0);
        loop.engine.run(2);

        assertThat(only().doing()).isEqualTo(Doing.STORE_OUT);
        assertThat(only().trouble()).isEqualTo("disk full");
    }

    @Test
    void aLockOfSomebodyElseAndAFullOutboxAreToldApart() {
        loop.append(P0, "locked", 1);
        loop.append(P1, "full", 1);
        loop.handler.onKey(pad("locked"), envelope -> Outcome.Waiting.on(Doing.LOCKED));
        loop.handler.onKey(pad("full"), envelope -> Outcome.Waiting.on(Doing.NO_ROOM));
        loop.assignAndFind(P0, P1);
        loop.engine.run(2);

        assertThat(look().stream().map(it -> it.standing().doing()))
                .containsExactlyInAnyOrder(Doing.LOCKED, Doing.NO_ROOM);
    }

    @Test
    void insideATurnItIsToldAtWhichStageItIsAndSinceWhen() {
        loop.append(P0, "a", 2);
        loop.assignAndFind(P0);
        loop.engine.turn();
        List<Doing> seen = new ArrayList<>();
        loop.handler.onNextTurn(
                turn -> {
                    for (Stage stage : Stage.values()) {
                        turn.begins(stage);
                        loop.environment.advance(Duration.ofMillis(40));
                        Standing standing =
                                loop.engine.inspector().standing(pad("a")).orElseThrow();
                        seen.add(standing.doing());
                        assertThat(standing.messages()).isEqualTo(2);
                        assertThat(loop.engine.inspector().since(standing))
                                .isEqualTo(Duration.ofMillis(40));
                    }
                    loop.handler.settleAll(turn);
                });
        loop.engine.work();

        assertThat(seen).containsExactly(Doing.LOADING, Doing.FOLDING, Doing.SAVING);
        assertThat(loop.engine.inspector().standing(pad("a"))).isEmpty();
    }

    @Test
    void anAttemptUnderWayIsToldWithWhatWentWrongBefore() {
        loop.append(P0, "bad", 1);
        List<Standing> seen = new ArrayList<>();
        loop.handler.onKey(pad("bad"), envelope -> failing(envelope, seen));
        loop.assignAndFind(P0);
        loop.engine.run(Duration.ofMillis(250));

        Standing second = seen.get(1);
        assertThat(second.failedAttempts()).isEqualTo(1);
        assertThat(second.trouble()).contains("no such account");
        assertThat(second.doing()).isNotEqualTo(Doing.RETRYING);
    }

    private Outcome failing(Envelope envelope, List<Standing> seen) {
        seen.add(loop.engine.inspector().standing(envelope.key()).orElseThrow());
        return new Outcome.Failed(
                Dispositions.applied(0), new IllegalStateException("no such account"), true);
    }

    @Test
    void aFoldThatOutlastsItsTurnIsSlow() {
        loop.append(P0, "slow", 2);
        loop.assignAndFind(P0);
        loop.engine.turn();
        List<Standing> seen = new ArrayList<>();
        loop.handler.onNextTurn(
                turn -> {
                    turn.enter(0);
                    loop.environment.advance(Duration.ofSeconds(1));
                    loop.engine.pool().watch(); // takes the turn away
                    seen.add(loop.engine.inspector().standing(pad("slow")).orElseThrow());
                    turn.leave(0, null);
                });
        loop.engine.pool().turn();

        assertThat(seen.get(0).doing()).isEqualTo(Doing.SLOW);
        assertThat(seen.get(0).messages()).isEqualTo(2);
    }
}
