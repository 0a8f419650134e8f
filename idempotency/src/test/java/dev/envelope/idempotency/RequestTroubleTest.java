package dev.envelope.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.idempotency.redrive.Answers;
import dev.envelope.idempotency.redrive.RequestDesk;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request whose process stands still, whose database is away, or whose row can't be stored. */
final class RequestTroubleTest {

    private final ParkingBench bench = new ParkingBench();

    private Request ask(Action action) {
        return bench.parked.ask("a", action, null);
    }

    /** It froze in the handler beyond its lease, which looks like a failure of the message. */
    @Test
    void whoThawsWhenAnotherHasTheRequestSkipsNothingAndSaysNothing() {
        bench.giveUp(0, "bad", "y");
        InMemoryParkedStore other =
                new InMemoryParkedStore(bench.database, "two", () -> bench.clock);
        bench.beforeNextFold(
                () -> {
                    bench.clock += Duration.ofMinutes(10).toNanos();
                    assertThat(other.take(Duration.ofMinutes(1))).isPresent();
                });
        Request request = ask(Action.SKIP_FAILING);

        bench.desk.turn(FoldGuard.NONE);

        assertThat(bench.parked.answerTo(request).isPresent()).isFalse();
        assertThat(bench.parkedOffsets().size()).isEqualTo(2);
        assertThat(other.renew(request, Duration.ofMinutes(1))).isPresent();
    }

    @Test
    void whatWasSkippedIsSaidThoughTheReplyWasLost() {
        bench.giveUp(0, "bad");
        Request request = ask(Action.SKIP_FAILING);
        bench.parked.loseNextReply();
        assertThat(bench.desk.turn(FoldGuard.NONE)).isFalse();

        bench.desk.turn(FoldGuard.NONE);

        assertThat(bench.parked.answerTo(request))
                .contains("redrove 0, skipped 1 that fail: t-0@0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"save", "answer"})
    void whatWasSkippedIsSaidOnceThoughTheDatabaseWasAwayMeanwhile(String call) {
        bench.giveUp(0, "bad");
        boolean[] isAway = {true};
        RequestDesk<String> desk =
                bench.deskWhere(
                        (method, arguments) -> {
                            if (isAway[0] && method.equals(call)) {
                                isAway[0] = false;
                                throw new UnavailableException("away");
                            }
                        });
        Request request = ask(Action.SKIP_FAILING);
        assertThat(desk.turn(FoldGuard.NONE)).isFalse();

        desk.turn(FoldGuard.NONE);

        assertThat(bench.parked.answerTo(request))
                .contains("redrove 0, skipped 1 that fail: t-0@0");
    }

    @Test
    void whatFailedOnAStateThatSomebodyHasSetSinceIsTriedOnThat() {
        bench.giveUp(0, "bad", "y");
        bench.bad.clear();
        InMemoryParkedStore other =
                new InMemoryParkedStore(bench.database, "two", () -> bench.clock);
        bench.beforeNextFold(
                () -> {
                    bench.parked.askToRepair("a", Action.SET, bench.row().version(), "\"S\"");
                    assertThat(bench.desk(other).turn(FoldGuard.NONE)).isTrue();
                    throw new IllegalStateException("not on this state");
                });

        assertThat(bench.asked(Action.SKIP_FAILING, null)).isEqualTo("redrove 2");

        assertThat(bench.state()).isEqualTo("Sbady");
    }

    @Test
    void whatTheDatabaseCanNotStoreIsFoundAmongTheOthersAndNamed() {
        bench.giveUp(0, "a", "b", "!", "c");
        RequestDesk<String> desk = deskThatCanNotStore('!');

        Request redrive = ask(Action.REDRIVE);
        desk.turn(FoldGuard.NONE);

        assertThat(bench.parked.answerTo(redrive).orElseThrow())
                .startsWith("redrove 2; then t-0@2 failed again: ")
                .doesNotMatch(Answers::isDone);
        assertThat(bench.state()).isEqualTo("ab");
        Request skip = ask(Action.SKIP_FAILING);
        desk.turn(FoldGuard.NONE);
        assertThat(bench.parked.answerTo(skip)).contains("redrove 1, skipped 1 that fail: t-0@2");
        assertThat(bench.state()).isEqualTo("abc");
    }

    private RequestDesk<String> deskThatCanNotStore(char refused) {
        return bench.deskWhere(
                (method, arguments) -> {
                    byte[] state =
                            method.equals("save") ? ((Snapshot) arguments.get(1)).state() : null;
                    if (state != null && new String(state, UTF_8).indexOf(refused) >= 0) {
                        throw new StoreException.RowFault("refused", new SQLException("22"));
                    }
                });
    }
}
