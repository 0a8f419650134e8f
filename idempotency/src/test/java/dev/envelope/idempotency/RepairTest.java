package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.redrive.Answers;
import dev.envelope.idempotency.redrive.RequestDesk;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.timer.SavedEffects;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A row that an operator sets or deletes, between messages of its key. */
final class RepairTest {

    private final HandlerBench bench = new HandlerBench();
    private final InMemoryParkedStore requests =
            new InMemoryParkedStore(bench.database, "one", () -> 0);
    private final RequestDesk<StringBuilder> desk = desk(requests);

    private String asked(Action action, long version, @Nullable String state) {
        Request request = requests.askToRepair("k", action, version, state);
        assertThat(desk.turn(FoldGuard.NONE)).isTrue();
        return requests.answerTo(request).orElse("no answer");
    }

    @Test
    void aStateIsSetAndTheNextMessagesBuildUponIt() {
        bench.handle(bench.envelope("k", 0, "a", "b"));

        assertThat(asked(Action.SET, 1, "\"x\"")).isEqualTo("set").matches(Answers::isDone);
        assertThat(bench.state("k")).isEqualTo("x");
        bench.handle(bench.envelope("k", 0, "a", "b", "c")); // the first two again

        assertThat(bench.state("k")).isEqualTo("xc");
        assertThat(bench.row("k").version()).isEqualTo(3);
    }

    @Test
    void whatCameInSinceItWasLookedAtIsNotOverwritten() {
        bench.handle(bench.envelope("k", 0, "a"));
        bench.handle(bench.envelope("k", 1, "b"));

        assertThat(asked(Action.SET, 1, "\"x\""))
                .startsWith("not done: the row is at version 2, and was at 1; look again")
                .doesNotMatch(Answers::isDone);
        assertThat(bench.state("k")).isEqualTo("ab");
    }

    @Test
    void aRepairWhoseReplyWasLostIsNotDoneASecondTimeOverWhatCameSince() {
        bench.handle(bench.envelope("k", 0, "a"));
        Request request = requests.askToRepair("k", Action.SET, 1, "\"x\"");
        requests.loseNextReply();
        assertThat(desk.turn(FoldGuard.NONE)).isFalse();
        bench.handle(bench.envelope("k", 1, "b"));

        assertThat(desk.turn(FoldGuard.NONE)).isTrue();

        assertThat(requests.answerTo(request)).contains("set");
        assertThat(bench.state("k")).isEqualTo("xb");
    }

    @Test
    void aDeletionWhoseReplyWasLostDropsWhatWasParkedThenAndNothingThatCameSince() {
        bench.handle(bench.envelope("k", 0, "a"));
        park(1, "boom");
        Request request = requests.askToRepair("k", Action.DELETE, 2, null);
        requests.loseNextReply();
        assertThat(desk.turn(FoldGuard.NONE)).isFalse();
        bench.handle(bench.envelope("k", 2, "b")); // behind the one that is parked still

        assertThat(desk.turn(FoldGuard.NONE)).isTrue();

        assertThat(requests.answerTo(request)).contains("deleted, with 1 parked message");
        assertThat(bench.database.parked())
                .extracting(it -> it.message().offset())
                .containsExactly(2L);
        assertThat(bench.row("k").parked()).isEqualTo(1);
    }

    @Test
    void aDeletionTakesWhateverTheRowHasBecomeIfNobodySaidWhichItWas() {
        bench.handle(bench.envelope("k", 0, "a"));
        Request request = requests.askToRepair("k", Action.DELETE, Request.ANY_VERSION, null);
        bench.handle(bench.envelope("k", 1, "b"));

        desk.turn(FoldGuard.NONE);

        assertThat(requests.answerTo(request)).contains("deleted, with 0 parked messages");
        assertThat(bench.row("k").state()).isNull();
    }

    /** Its row may have been purged since, or be lost by a fail-over: nobody may look for ever. */
    @ParameterizedTest
    @EnumSource(Action.class)
    void whatIsAskedForAKeyThatHasNoRowAnyMoreEnds(Action action) {
        String state = action == Action.SET ? "\"x\"" : null;
        Request request = requests.askToRepair("k", action, Request.ANY_VERSION, state);

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> desk.turn(FoldGuard.NONE));

        assertThat(requests.answerTo(request)).contains("not done: the key has no row");
    }

    @Test
    void aDeletionThatIsDoneIsSaidToBeThoughItsRowHasBeenPurgedSince() {
        Request done = requests.ask("k", Action.DELETE, null); // without a version any more

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> desk.turn(FoldGuard.NONE));

        assertThat(requests.answerTo(done)).contains("deleted, with 0 parked messages");
    }

    /** The same requests; something happens before the first call of one method. */
    private RequestDesk<StringBuilder> deskWhere(String method, Runnable happens) {
        boolean[] hasHappened = {false};
        var store =
                (ParkedStore & RequestStore)
                        Proxy.newProxyInstance(
                                ParkedStore.class.getClassLoader(),
                                new Class<?>[] {ParkedStore.class, RequestStore.class},
                                (proxy, called, arguments) -> {
                                    if (called.getName().equals(method) && !hasHappened[0]) {
                                        hasHappened[0] = true;
                                        happens.run();
                                    }
                                    try {
                                        return called.invoke(requests, arguments);
                                    } catch (InvocationTargetException e) {
                                        throw e.getCause();
                                    }
                                });
        return desk(store);
    }

    private <P extends ParkedStore & RequestStore> RequestDesk<StringBuilder> desk(P store) {
        return new RequestDesk<>(
                bench.newFold(),
                bench.store,
                store,
                store,
                SavedEffects.NONE,
                Duration.ofSeconds(15),
                () -> 0);
    }

    @Test
    void aRepairThatAFailoverHasLostIsNotSaidToBeDoneAndDoneAnew() {
        bench.handle(bench.envelope("k", 0, "a"));
        Request request = requests.askToRepair("k", Action.SET, 1, "\"x\"");
        InMemoryDatabase.Backup before = bench.database.backup();
        RequestDesk<StringBuilder> failedOver =
                deskWhere("answer", () -> bench.database.restore(before));

        assertThat(failedOver.turn(FoldGuard.NONE)).isFalse();
        assertThat(requests.answerTo(request)).isEmpty();
        assertThat(bench.state("k")).isEqualTo("a");

        assertThat(failedOver.turn(FoldGuard.NONE)).isTrue();
        assertThat(requests.answerTo(request)).contains("set");
        assertThat(bench.state("k")).isEqualTo("x");
    }

    /** Whoever had the request before has left, and what he had sent arrives only now. */
    @ParameterizedTest
    @ValueSource(strings = {"incarnation", "renew", "repair"})
    void aRepairThatArrivesLateIsDoneOnceAndSaidToBe(String before) {
        bench.handle(bench.envelope("k", 0, "a"));
        Request request = requests.askToRepair("k", Action.SET, 1, "\"x\"");
        Snapshot row = bench.row("k");
        byte[] state = "\"x\"".getBytes(StandardCharsets.UTF_8);
        Snapshot late = new Snapshot("k", 2, state, row.marks(), row.ids(), 0);

        deskWhere(before, () -> requests.repair(request, late, bench.life)).turn(FoldGuard.NONE);

        assertThat(requests.answerTo(request)).contains("set");
        assertThat(bench.row("k").version()).isEqualTo(2);
    }

    private void park(long offset, String value) {
        GivenUp last = new GivenUp(3, new IllegalStateException("boom"));
        List<Message> one = List.of(bench.message(offset, "k", value));
        assertThat(bench.handle(new Envelope("k", one, null, null, last)))
                .isInstanceOf(Outcome.Saved.class);
    }

    @Test
    void aStateThatTheHandlerCannotReadIsRefused() {
        bench.handle(bench.envelope("k", 0, "a"));

        assertThat(asked(Action.SET, 1, "\"unencodable\""))
                .startsWith("refused: ")
                .doesNotMatch(Answers::isDone);
        assertThat(bench.state("k")).isEqualTo("a");
    }

    @Test
    void whatTheHandlerWouldPassOverInARowIsRefusedOfAPerson() {
        bench.handle(bench.envelope("k", 0, "slip"));

        assertThat(asked(Action.SET, 1, "\"slip\""))
                .isEqualTo("refused: the handler can't read that state: that is no letter");
        bench.handle(bench.envelope("k", 1, "a"));
        assertThat(bench.state("k")).isEqualTo("slipa");
    }

    @Test
    void aDeletionTakesStateAndParkedMessagesAndLeavesTheMarks() {
        bench.handle(bench.envelope("k", 0, "a"));
        GivenUp last = new GivenUp(3, new IllegalStateException("boom"));
        List<Message> two = List.of(bench.message(1, "k", "boom"), bench.message(2, "k", "b"));
        assertThat(bench.handle(new Envelope("k", two, null, null, last)))
                .isInstanceOf(Outcome.Saved.class);

        assertThat(asked(Action.DELETE, 2, null)).isEqualTo("deleted, with 2 parked messages");

        assertThat(bench.row("k").state()).isNull();
        assertThat(bench.row("k").parked()).isZero();
        assertThat(bench.database.parked()).isEmpty();
        bench.handle(bench.envelope("k", 0, "a", "boom", "b", "c"));
        assertThat(bench.state("k")).as("nothing is applied again").isEqualTo("c");
    }

    @Test
    void whatComesOfAKeyInQuarantineIsParkedUntilItIsRedriven() {
        bench.handle(bench.envelope("k", 0, "a"));
        Request request = requests.ask("k", Action.QUARANTINE, null);
        desk.turn(FoldGuard.NONE);
        assertThat(requests.answerTo(request)).contains("what comes of it is parked from now on");

        bench.handle(bench.envelope("k", 1, "b", "c"));
        assertThat(bench.state("k")).isEqualTo("a");
        assertThat(bench.database.parked()).hasSize(2);

        Request redrive = requests.ask("k", Action.REDRIVE, null);
        desk.turn(FoldGuard.NONE);
        assertThat(requests.answerTo(redrive)).contains("redrove 2");
        bench.handle(bench.envelope("k", 3, "d"));
        assertThat(bench.state("k")).isEqualTo("abcd");
        assertThat(bench.row("k").parked()).isZero();
    }

    @Test
    void anOutageLeavesTheRequestForLater() {
        bench.handle(bench.envelope("k", 0, "a"));
        bench.store.failLoads(new UnavailableException("away"));
        Request request = requests.askToRepair("k", Action.DELETE, 1, null);

        assertThat(desk.turn(FoldGuard.NONE)).isFalse();
        bench.store.failLoads(null);
        assertThat(desk.turn(FoldGuard.NONE)).isTrue();

        assertThat(requests.answerTo(request)).contains("deleted, with 0 parked messages");
    }
}
