package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.Recurring;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.idempotency.redrive.RequestDesk;
import dev.envelope.idempotency.redrive.Requests;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests beside each other, and beside a key that is written to all the time. */
final class RequestDeskTest {

    private final ParkingBench bench = new ParkingBench();

    private Request ask(String key, Action action) {
        return bench.parked.ask(key, action, null);
    }

    private boolean isAnswered(Request request) {
        return bench.parked.answerTo(request).isPresent();
    }

    private long parkedOf(String key) {
        return bench.database.parked().stream().filter(it -> key.equals(it.rowKey())).count();
    }

    @Test
    void ofAKeyThatIsParkedBehindAllTheTimeNoMessageIsFoldedTwice() {
        bench.giveUp(0, "bad", "y");
        bench.bad.clear();
        List<Long> folded = new ArrayList<>();
        bench.inFold(
                message -> {
                    folded.add(message.offset());
                    if (folded.size() <= 40) {
                        bench.handle(bench.envelope(null, 1 + folded.size(), "z"));
                    }
                });

        assertThat(bench.asked(Action.REDRIVE, null)).isEqualTo("redrove 42");

        assertThat(folded).doesNotHaveDuplicates().hasSize(42).isSorted();
        assertThat(bench.state()).isEqualTo("bady" + "z".repeat(40));
        assertThat(bench.row().parked()).isZero();
    }

    @Test
    void whatWasDroppedWhileItWasFoldedIsNotApplied() {
        bench.giveUp(0, "bad", "y");
        bench.bad.clear();
        bench.beforeNextFold(
                () -> {
                    ask("a", Action.DROP);
                    InMemoryParkedStore other =
                            new InMemoryParkedStore(bench.database, "two", () -> bench.clock);
                    assertThat(bench.desk(other).turn(FoldGuard.NONE)).isTrue();
                });

        assertThat(bench.asked(Action.REDRIVE, null)).isEqualTo("nothing is parked");

        assertThat(bench.state()).isEmpty();
    }

    @Test
    void whatIsAboutToBeDeletedIsNotAppliedByARedriveThatHasWaited() {
        bench.giveUp(0, "bad", "y");
        bench.bad.clear();
        Request redrive = ask("a", Action.REDRIVE);
        InMemoryParkedStore other =
                new InMemoryParkedStore(bench.database, "two", () -> bench.clock);
        Request delete = deletesTheRowOnly(other);
        bench.clock += Duration.ofSeconds(2).toNanos(); // the redrive has rested

        assertThat(bench.desk.turn(FoldGuard.NONE)).as("it is held back").isFalse();

        assertThat(parkedOf("a")).isEqualTo(2);
        bench.desk(other).turn(FoldGuard.NONE);
        assertThat(bench.parked.answerTo(delete)).contains("deleted, with 2 parked messages");
        bench.desk.turn(FoldGuard.NONE);
        assertThat(bench.parked.answerTo(redrive)).contains("nothing is parked");
        assertThat(bench.state()).isEmpty();
        assertThat(bench.emitted()).isEmpty();
    }

    @Test
    void whatIsAboutToBeDeletedIsNotAppliedByARedriveThatIsAtIt() {
        bench.giveUp(0, "bad", "y");
        bench.bad.clear();
        InMemoryParkedStore other =
                new InMemoryParkedStore(bench.database, "two", () -> bench.clock);
        bench.beforeNextFold(() -> deletesTheRowOnly(other));
        Request redrive = ask("a", Action.REDRIVE);

        bench.desk.turn(FoldGuard.NONE);

        assertThat(isAnswered(redrive)).isFalse();
        assertThat(parkedOf("a")).isEqualTo(2);
        assertThat(bench.state()).isEmpty();
        assertThat(bench.emitted()).isEmpty();
    }

    @Test
    void whatWasRedrivenBeforeADeletionIsSaidBehindIt() {
        bench.giveUp(0, "bad", "y", "z");
        bench.bad.clear();
        InMemoryParkedStore other =
                new InMemoryParkedStore(bench.database, "two", () -> bench.clock);
        bench.inFold(
                message -> {
                    if (message.offset() == 0) {
                        bench.clock += Duration.ofSeconds(5).toNanos(); // a step ends with it
                    } else if (message.offset() == 1) {
                        deletesTheRowOnly(other);
                    }
                });
        Request redrive = ask("a", Action.REDRIVE);

        bench.desk.turn(FoldGuard.NONE);
        bench.desk(other).turn(FoldGuard.NONE);
        bench.desk.turn(FoldGuard.NONE);

        assertThat(bench.parked.answerTo(redrive)).contains("redrove 1");
        assertThat(parkedOf("a")).isZero();
        assertThat(bench.state()).isEmpty();
    }

    /** A deletion whose process does not go on behind its first step. */
    private Request deletesTheRowOnly(InMemoryParkedStore other) {
        Request delete = bench.parked.askToRepair("a", Action.DELETE, Request.ANY_VERSION, null);
        Request taken = other.take(Duration.ofMinutes(1)).orElseThrow();
        while (taken.number() != delete.number()) {
            other.rest(taken, Duration.ofSeconds(1), Duration.ofMinutes(1));
            taken = other.take(Duration.ofMinutes(1)).orElseThrow();
        }
        Snapshot row = bench.row();
        Snapshot deleted =
                new Snapshot(row.key(), row.version() + 1, null, row.marks(), null, row.parked());
        assertThat(other.repair(delete, deleted, bench.life)).isTrue();
        return delete;
    }

    @Test
    void oneThatCanNotBeDecodedNowDoesNotHoldUpTheOthers() {
        bench.giveUp("a", 0, "#");
        bench.giveUp("b", 1, "y");
        Request waits = ask("a", Action.REDRIVE);
        Request other = ask("b", Action.REDRIVE);

        bench.desk.turn(FoldGuard.NONE);
        bench.desk.turn(FoldGuard.NONE);

        assertThat(isAnswered(waits)).isFalse();
        assertThat(bench.parked.answerTo(other)).contains("redrove 1");
        assertThat(bench.desk.turn(FoldGuard.NONE)).as("not at once").isFalse();
        bench.isRegistryAway = false;
        bench.clock += Duration.ofSeconds(40).toNanos();
        bench.desk.turn(FoldGuard.NONE);
        assertThat(bench.parked.answerTo(waits)).contains("redrove 1");
    }

    @Test
    void oneWhoseRowSomebodyHasLockedDoesNotHoldUpTheOthers() {
        bench.giveUp("a", 0, "x");
        bench.giveUp("b", 1, "y");
        boolean[] isLocked = {true};
        RequestDesk<String> desk =
                bench.deskWhere(
                        (method, arguments) -> {
                            if (isLocked[0]
                                    && method.equals("save")
                                    && arguments.get(1).toString().contains("key=a,")) {
                                throw new StoreException.RowLocked("held", new SQLException());
                            }
                        });
        Request waits = ask("a", Action.REDRIVE);
        Request other = ask("b", Action.REDRIVE);

        desk.turn(FoldGuard.NONE);
        desk.turn(FoldGuard.NONE);

        assertThat(isAnswered(waits)).isFalse();
        assertThat(isAnswered(other)).isTrue();
        isLocked[0] = false;
        bench.clock += Duration.ofSeconds(40).toNanos();
        desk.turn(FoldGuard.NONE);
        assertThat(isAnswered(waits)).isTrue();
    }

    @Test
    void oneThatBreaksOffByAFaultOfTheProgramDoesNotHoldUpTheOthers() {
        bench.giveUp("a", 0, "x");
        bench.giveUp("b", 1, "y");
        RequestDesk<String> desk =
                bench.deskWhere(
                        (method, arguments) -> {
                            if (method.equals("first") && arguments.get(0).equals("a")) {
                                throw new IllegalStateException("a bug");
                            }
                        });
        ask("a", Action.REDRIVE);
        Request other = ask("b", Action.REDRIVE);

        assertThatThrownBy(() -> desk.turn(FoldGuard.NONE)).hasMessage("a bug");
        desk.turn(FoldGuard.NONE);

        assertThat(isAnswered(other)).isTrue();
    }

    @Test
    void aLongOneIsSavedStepByStepLetsTheOthersGoFirstAndSaysAllThatItHasDone() {
        String[] values = IntStream.range(0, 30).mapToObj(i -> "v").toArray(String[]::new);
        bench.giveUp("a", 0, values);
        bench.giveUp("b", 30, "y");
        bench.inFold(message -> bench.clock += Duration.ofSeconds(1).toNanos());
        Request slow = ask("a", Action.REDRIVE);
        Request quick = ask("b", Action.REDRIVE);

        assertThat(bench.desk.turn(FoldGuard.NONE)).isTrue();
        assertThat(isAnswered(slow)).isFalse();
        assertThat(parkedOf("a")).as("what it has done is saved").isBetween(1L, 29L);
        assertThat(bench.desk.turn(FoldGuard.NONE)).isTrue();
        assertThat(isAnswered(quick)).isTrue();
        while (bench.desk.turn(FoldGuard.NONE)) {
            assertThat(bench.clock).isLessThan(Duration.ofMinutes(1).toNanos());
        }

        assertThat(bench.parked.answerTo(slow)).contains("redrove 30");
    }

    @Test
    void itStaysOursWhileTheHandlerIsAtOneMessageForAsLongAsItMay() {
        bench.giveUp(0, "x");
        InMemoryParkedStore other =
                new InMemoryParkedStore(bench.database, "two", () -> bench.clock);
        bench.inFold(
                message -> {
                    bench.clock += Duration.ofSeconds(89).toNanos();
                    assertThat(other.take(Duration.ofMinutes(1))).isEmpty();
                });

        Request request = ask("a", Action.REDRIVE);
        bench.desk.turn(FoldGuard.NONE);
        bench.desk.turn(FoldGuard.NONE); // a slice is over after the first message

        assertThat(bench.parked.answerTo(request)).contains("redrove 1");
    }

    /** Otherwise it is taken as ended, and another may take its name. */
    @Test
    @Timeout(30)
    void whoIsAtOneMessageForLongIsSeenAllTheSame() throws Exception {
        bench.giveUp(0, "x");
        CountDownLatch isAtIt = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Semaphore seen = new Semaphore(0);
        bench.inFold(
                message -> {
                    isAtIt.countDown();
                    assertThatCode(mayEnd::await).doesNotThrowAnyException();
                });
        RequestDesk<String> desk =
                bench.deskWhere((method, arguments) -> seen.release(method.equals("seen") ? 1 : 0));
        Request request = ask("a", Action.REDRIVE);
        Requests requests =
                new Requests(
                        List.of(desk),
                        List.of(BooleanSupplier::getAsBoolean),
                        Duration.ofSeconds(90),
                        System::nanoTime);

        isAtIt.await();
        seen.drainPermits();
        assertThat(seen.tryAcquire(2, 20, TimeUnit.SECONDS)).isTrue();

        assertThat(isAnswered(request)).isFalse();
        mayEnd.countDown();
        Recurring.close(requests.loops());
        assertThat(isAnswered(request)).isTrue();
    }

    @Test
    void whatIsDroppedIsNotRead() {
        bench.giveUp(0, "bad", "y");
        RequestDesk<String> desk =
                bench.deskWhere((method, arguments) -> assertThat(method).isNotEqualTo("first"));
        Request drop = ask("a", Action.DROP);
        Request delete = bench.parked.askToRepair("a", Action.DELETE, Request.ANY_VERSION, null);

        desk.turn(FoldGuard.NONE);
        desk.turn(FoldGuard.NONE);

        assertThat(bench.parked.answerTo(drop)).contains("dropped 2");
        assertThat(bench.parked.answerTo(delete)).contains("deleted, with 0 parked messages");
    }

    @Test
    void oneThatThisProcessCanNotCarryOutComesToAnotherAfterAWhileThoughThisOneGoesOn() {
        bench.giveUp("a", 0, "#");
        Request waits = ask("a", Action.REDRIVE);
        bench.desk.turn(FoldGuard.NONE);
        InMemoryParkedStore other =
                new InMemoryParkedStore(bench.database, "two", () -> bench.clock);
        assertThat(other.take(Duration.ofMinutes(1))).isEmpty();

        bench.clock += Duration.ofSeconds(2).toNanos();

        assertThat(other.take(Duration.ofMinutes(1))).contains(waits);
    }
}
