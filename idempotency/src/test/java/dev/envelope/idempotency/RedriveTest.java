package dev.envelope.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EffectLimits;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.redrive.Answers;
import dev.envelope.idempotency.redrive.RequestDesk;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.timer.SavedEffects;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators make of parked messages. */
final class RedriveTest {

    private final ParkingBench bench = new ParkingBench();

    @Test
    void redrivenMessagesAreFoldedInTheirOrderAndTheKeyFlowsAgain() {
        bench.handle(bench.envelope(null, 0, "x"));
        bench.giveUp(1, "bad", "y");
        bench.bad.clear();

        assertThat(bench.asked(Action.REDRIVE, null)).isEqualTo("redrove 2");
        bench.handle(bench.envelope(null, 3, "z"));

        assertThat(bench.state()).isEqualTo("xbadyz");
        assertThat(bench.parkedOffsets()).isEmpty();
        assertThat(bench.row().parked()).isZero();
        assertThat(bench.row().marks().nextOffset(1)).isEqualTo(4);
        assertThat(bench.emitted()).containsExactly("x", "bad", "y", "z");
    }

    @Test
    void timersThatARedrivenMessageSetsAreToldAtOnce() {
        bench.giveUp(0, "bad", "y");
        List<String> told = new ArrayList<>();
        RequestDesk<String> desk =
                new RequestDesk<>(
                        new EnvelopeFold<>(
                                UserFold.emitting(
                                        (state, value, effects) -> {
                                            effects.timer(
                                                    "of " + value, Instant.EPOCH, new byte[0]);
                                            return value;
                                        }),
                                new ParkingBench.TextCodec(),
                                (value, message) -> ParkingBench.decode(value),
                                MessageIds.NONE,
                                IdLimits.ofCount(1),
                                1_000,
                                new PuttingOut(null, null, EffectLimits.DEFAULT, true)),
                        bench.store,
                        bench.parked,
                        bench.parked,
                        new SavedEffects(
                                OutputRoom.endless(),
                                timers -> timers.forEach(timer -> told.add(timer.name())),
                                command -> told.add(command.key())),
                        Duration.ofSeconds(15),
                        () -> bench.clock);
        bench.parked.ask("a", Action.REDRIVE, null);

        desk.turn(FoldGuard.NONE);

        assertThat(told).containsExactly("of bad", "of y");
    }

    private Message command(long offset, String value) {
        return Records.message(
                bench.epoch,
                offset,
                "a",
                value.getBytes(UTF_8),
                new RecordHeaders().add(Reply.COMMAND, "c1".getBytes(UTF_8)));
    }

    /** In the second step only the stored answer tells that the command was applied. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofTwoParkedRecordsOfACommandOneIsApplied(boolean isInOneStep) {
        GivenUp last = new GivenUp(3, new IllegalStateException("it is bad"));
        List<Message> both = List.of(command(0, "bad"), command(1, "bad"));
        bench.handle(new Envelope("a", both, null, null, last));
        assertThat(bench.parkedOffsets()).containsExactly(0L, 1L);
        bench.bad.clear();
        if (!isInOneStep) {
            bench.inFold(message -> bench.clock += Duration.ofMinutes(1).toNanos());
        }

        bench.asked(Action.REDRIVE, null);
        if (!isInOneStep) {
            assertThat(bench.row().parked()).isEqualTo(1);
            assertThat(bench.desk.turn(FoldGuard.NONE)).isTrue();
        }

        assertThat(bench.state()).isEqualTo("bad");
        assertThat(bench.database.answer("a", "c1")).startsWith("applied @0");
        assertThat(bench.row().parked()).isZero();
        assertThat(bench.row().version()).isEqualTo(isInOneStep ? 2 : 3);
    }

    @Test
    void whatFailsAgainStaysParkedWithAllBehindIt() {
        bench.giveUp(0, "bad", "y", "worse", "z");
        bench.bad.clear();
        bench.bad.add("worse");

        assertThat(bench.asked(Action.REDRIVE, null))
                .startsWith(
                        "redrove 2; then t-0@2 failed again: IllegalStateException: it is worse");

        assertThat(bench.state()).isEqualTo("bady");
        assertThat(bench.emitted()).containsExactly("bad", "y");
        assertThat(bench.parkedOffsets()).containsExactly(2L, 3L);
        assertThat(bench.row().parked()).isEqualTo(2);
        assertThat(bench.database.parked())
                .extracting(it -> it.reason() + " " + it.attempts() + " " + it.error())
                .containsExactly(
                        "failed 1 IllegalStateException: it is worse",
                        "behind 0 a message of its key before it was parked when it came");
    }

    @Test
    void aSkippedMessageIsDeletedAndThoseBehindItAreFolded() {
        bench.giveUp(0, "bad", "y", "z");

        assertThat(bench.asked(Action.SKIP, bench.firstPosition()))
                .isEqualTo("skipped 1, redrove 2");

        assertThat(bench.state()).isEqualTo("yz");
        assertThat(bench.emitted()).containsExactly("y", "z");
        assertThat(bench.row().parked()).isZero();
    }

    @Test
    void whatFailsAgainIsSkippedAndAllElseIsFolded() {
        bench.giveUp(0, "bad", "y", "worse", "z");
        bench.bad.add("worse");

        assertThat(bench.asked(Action.SKIP_FAILING, null))
                .isEqualTo("redrove 2, skipped 2 that fail: t-0@0, t-0@2")
                .matches(Answers::isDone);

        assertThat(bench.state()).isEqualTo("yz");
        assertThat(bench.row().parked()).isZero();
        assertThat(bench.parkedOffsets()).isEmpty();
    }

    @Test
    void aMessageWithNothingBehindItIsSkippedToo() {
        bench.handle(bench.envelope(null, 0, "x"));
        bench.giveUp(1, "bad");

        assertThat(bench.asked(Action.SKIP, bench.firstPosition()))
                .isEqualTo("skipped 1, redrove 0");
        bench.handle(bench.envelope(null, 2, "y"));

        assertThat(bench.state()).isEqualTo("xy");
    }

    @Test
    void aKeyWhoseParkedMessagesWereDeletedByHandFlowsAgain() {
        bench.giveUp(0, "bad", "y");
        bench.database.deleteParked(message -> true);

        assertThat(bench.asked(Action.REDRIVE, null)).isEqualTo("redrove 0");
        bench.handle(bench.envelope(null, 2, "z"));

        assertThat(bench.state()).isEqualTo("z");
    }

    @Test
    void theSameMessageIsNotSkippedTwice() {
        bench.giveUp(0, "bad", "y", "bad", "z");
        long first = bench.firstPosition();
        bench.asked(Action.SKIP, first);

        assertThat(bench.asked(Action.SKIP, first))
                .startsWith("it was not parked any more, redrove 0; then t-0@2 failed again");

        assertThat(bench.state()).isEqualTo("y");
        assertThat(bench.parkedOffsets()).containsExactly(2L, 3L);
    }

    @Test
    void droppedMessagesAreDeletedAndTheKeyFlowsAgain() {
        bench.handle(bench.envelope(null, 0, "x"));
        bench.giveUp(1, "bad", "y");

        assertThat(bench.asked(Action.DROP, null)).isEqualTo("dropped 2");
        bench.handle(bench.envelope(null, 3, "z"));

        assertThat(bench.state()).isEqualTo("xz");
        assertThat(bench.emitted()).containsExactly("x", "z");
        assertThat(bench.parkedOffsets()).isEmpty();
    }

    @Test
    void whatWasParkedAfterADropWasAskedForStaysParkedAndSoDoesItsKey() {
        bench.giveUp(0, "bad", "y");
        long last = bench.parked.first("a", 9).get(1).position();
        Request drop = bench.parked.ask("a", Action.DROP, last);
        bench.handle(bench.envelope(null, 2, "z"));
        bench.handle(bench.envelope(null, 3, "w"));

        bench.desk.turn(FoldGuard.NONE);

        assertThat(bench.parked.answerTo(drop))
                .contains("dropped 2; 2 that came later are still parked");
        assertThat(bench.parkedOffsets()).containsExactly(2L, 3L);
        assertThat(bench.row().parked()).isEqualTo(2);
        assertThat(bench.asked(Action.DROP, last))
                .isEqualTo("dropped 0; 2 that came later are still parked")
                .matches(Answers::isDone);
        assertThat(bench.asked(Action.REDRIVE, null)).isEqualTo("redrove 2");
        assertThat(bench.state()).isEqualTo("zw");
    }

    @Test
    void whatIsParkedWhileOthersAreRedrivenIsRedrivenBehindThem() {
        bench.giveUp(0, "bad", "y");
        bench.bad.clear();
        Request request = bench.parked.ask("a", Action.REDRIVE, null);
        InMemoryParkedStore racing =
                new InMemoryParkedStore(bench.database, "one", () -> bench.clock);
        RequestDesk<String> raced =
                new RequestDesk<>(
                        new EnvelopeFold<>(
                                (state, value, message) -> {
                                    if (message.offset() == 0
                                            && bench.parkedOffsets().size() == 2) {
                                        bench.handle(bench.envelope(null, 2, "z"));
                                    }
                                    return (state == null ? "" : state) + value;
                                },
                                new ParkingBench.TextCodec(),
                                (value, message) -> ParkingBench.decode(value),
                                MessageIds.NONE,
                                IdLimits.ofCount(1),
                                1_000),
                        bench.store,
                        racing,
                        racing,
                        SavedEffects.NONE,
                        Duration.ofSeconds(15),
                        () -> bench.clock);

        assertThat(raced.turn(FoldGuard.NONE)).isTrue();

        assertThat(bench.parked.answerTo(request)).contains("redrove 3");
        assertThat(bench.state()).isEqualTo("badyz");
        assertThat(bench.row().parked()).isZero();
    }

    @Test
    void aSkipWhoseReplyWasLostGoesOnBehindTheMessageThatIsNotThereAnyMore() {
        bench.giveUp(0, "bad", "y", "z");
        Request request =
                bench.parked.ask("a", Action.SKIP, bench.parked.first("a", 1).get(0).position());
        assertThat(bench.parked.take(Duration.ofMinutes(1))).contains(request);
        Snapshot row = bench.row();
        assertThat(
                        bench.parked.save(
                                request,
                                row.unparked(1),
                                List.of(Objects.requireNonNull(request.position())),
                                bench.database.incarnation()))
                .isTrue();

        bench.desk.turn(FoldGuard.NONE);

        assertThat(bench.parked.answerTo(request))
                .contains("it was not parked any more, redrove 2");
        assertThat(bench.state()).isEqualTo("yz");
        assertThat(bench.row().parked()).isZero();
    }

    @Test
    void aRequestIsCarriedOutByOneProcessOnly() {
        bench.giveUp(0, "bad", "y");
        Request request = bench.parked.ask("a", Action.DROP, null);
        InMemoryParkedStore other =
                new InMemoryParkedStore(bench.database, "two", () -> bench.clock);
        assertThat(other.take(Duration.ofMinutes(1))).contains(request);

        assertThat(bench.desk.turn(FoldGuard.NONE)).isFalse();
        bench.clock = Duration.ofMinutes(2).toNanos();
        assertThat(bench.desk.turn(FoldGuard.NONE)).isTrue();

        assertThat(bench.parked.answerTo(request)).contains("dropped 2");
        assertThat(bench.parked.open()).isEmpty();
    }

    @Test
    void aRequestThatThreeProcessesWereNotHeardOfAgainWithIsGivenUp() {
        bench.giveUp(0, "bad", "y");
        Request request = bench.parked.ask("a", Action.REDRIVE, null);
        for (String process : List.of("two", "three", "four")) {
            InMemoryParkedStore dying =
                    new InMemoryParkedStore(bench.database, process, () -> bench.clock);
            assertThat(dying.take(Duration.ofMinutes(1))).isPresent();
            bench.clock += Duration.ofMinutes(2).toNanos();
        }

        assertThat(bench.desk.turn(FoldGuard.NONE)).isTrue();

        assertThat(bench.parked.answerTo(request).orElseThrow())
                .startsWith("given up: 3 processes");
        assertThat(bench.row().parked()).isEqualTo(2);
    }

    @Test
    void whatALeavingProcessGivesBackIsNotHeldAgainstTheRequest() {
        bench.giveUp(0, "bad", "y");
        Request request = bench.parked.ask("a", Action.DROP, null);
        for (String process : List.of("two", "three", "four")) {
            InMemoryParkedStore leaving =
                    new InMemoryParkedStore(bench.database, process, () -> bench.clock);
            assertThat(leaving.take(Duration.ofMinutes(1))).isPresent();
            leaving.leave();
        }

        assertThat(bench.desk.turn(FoldGuard.NONE)).isTrue();

        assertThat(bench.parked.answerTo(request)).contains("dropped 2");
    }

    @Test
    void theGuardIsToldOfEachMessageThatIsRedriven() {
        bench.giveUp(0, "bad", "y");
        bench.bad.clear();
        bench.parked.ask("a", Action.REDRIVE, null);
        List<Long> entered = new ArrayList<>();
        FoldGuard guard =
                new FoldGuard() {
                    @Override
                    public void enter(Message message, Class<?> handler) {
                        entered.add(message.offset());
                    }

                    @Override
                    public boolean leave() {
                        return entered.size() != 4; // to fold the second takes too long
                    }
                };

        assertThat(bench.desk.turn(guard)).isTrue();

        assertThat(entered).as("decoded, folded").startsWith(0L, 0L, 1L, 1L);
        assertThat(bench.row().parked())
                .as("an attempt that took too long has failed")
                .isEqualTo(1);
    }

    @Test
    void ofAKeyWithoutParkedMessagesThereIsNothingToDo() {
        bench.handle(bench.envelope(null, 0, "x"));

        assertThat(bench.asked(Action.REDRIVE, null)).isEqualTo("nothing is parked");
        assertThat(bench.row().version()).isEqualTo(1);
    }
}
