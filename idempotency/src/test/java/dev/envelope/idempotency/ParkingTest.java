package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.FoldGuard;
import dev.envelope.core.api.GivenUp;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Outcome;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.SetAside;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.redrive.RequestDesk;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.ParkedMessage;
import dev.envelope.idempotency.store.ParkedStore.Action;
import dev.envelope.idempotency.store.ParkedStore.Request;
import dev.envelope.idempotency.store.Snapshot;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A key whose message has failed for the last time, and what operators make of it. The state is the
 * text of all values that were applied; values in {@code bad} throw, {@code ?} can't be decoded.
 */
final class ParkingTest {

    private long clock;
    private final InMemoryDatabase database = new InMemoryDatabase();
    private final ScriptedStore store = new ScriptedStore(database);
    private final InMemoryParkedStore parked =
            new InMemoryParkedStore(database, "one", () -> clock);
    private final Incarnation life = database.incarnation();
    private final PartitionEpoch epoch = Records.epoch(1, 1, life);
    private final Set<String> bad = new HashSet<>(Set.of("bad"));
    private final EnvelopeFold<String, String> fold =
            new EnvelopeFold<>(
                    (state, value, message) -> {
                        if (value != null && bad.contains(value)) {
                            throw new IllegalStateException("it is " + value);
                        }
                        return (state == null ? "" : state) + value;
                    },
                    new TextCodec(),
                    (value, message) -> decode(value),
                    MessageIds.NONE,
                    IdLimits.ofCount(1),
                    1_000);
    private final IdempotentHandler<String> handler = handler();
    private final RequestDesk<String> desk = new RequestDesk<>(fold, store, parked);

    private static final class TextCodec implements StateCodec<String> {

        @Override
        public byte[] encode(String state) {
            return ('"' + state + '"').getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String decode(byte[] json) {
            String text = new String(json, StandardCharsets.UTF_8);
            return text.substring(1, text.length() - 1);
        }
    }

    private static String decode(byte[] value) {
        String text = new String(value, StandardCharsets.UTF_8);
        if (text.equals("?")) {
            throw new MalformedException("no value");
        }
        return text;
    }

    private IdempotentHandler<String> handler() {
        return new IdempotentHandler<>(fold, store, 1 << 20, Telemetry.NONE);
    }

    private Envelope envelope(@Nullable GivenUp givenUp, long offset, String... values) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            messages.add(Records.message(epoch, offset + i, "a", values[i]));
        }
        return new Envelope("a", messages, null, false, givenUp);
    }

    private @Nullable Outcome handle(Envelope envelope) {
        HandTurn turn = new HandTurn(envelope);
        handler.handle(turn);
        return turn.outcome(0);
    }

    /** The first of them has failed for the last time. */
    private void giveUp(long offset, String... values) {
        GivenUp last = new GivenUp(3, new IllegalStateException("it is bad"));
        assertThat(handle(envelope(last, offset, values))).isEqualTo(Outcome.Saved.SAVED);
    }

    private String state() {
        byte[] state = row().state();
        return state == null ? "" : new TextCodec().decode(state);
    }

    private Snapshot row() {
        return database.rows().getOrDefault("a", Snapshot.absent("a"));
    }

    private List<Long> parkedOffsets() {
        return database.parked().stream().map(it -> it.message().offset()).toList();
    }

    private String asked(Action action, @Nullable Long position) {
        Request request = parked.ask("a", action, position);
        assertThat(desk.turn(FoldGuard.NONE)).isTrue();
        return parked.answerTo(request).orElse("no answer");
    }

    private long firstPosition() {
        return parked.first("a", 1).get(0).position();
    }

    @Test
    void aMessageThatIsGivenUpIsParkedWithAllThatComesAfterIt() {
        handle(envelope(null, 0, "x"));
        giveUp(1, "bad", "y");
        handle(envelope(null, 3, "z"));

        assertThat(state()).isEqualTo("x");
        assertThat(row().marks().nextOffset(1)).isEqualTo(4);
        assertThat(row().parked()).isEqualTo(3);
        assertThat(parkedOffsets()).containsExactly(1L, 2L, 3L);
        assertThat(database.parked())
                .extracting(ParkedMessage::reason)
                .containsExactly(SetAside.FAILED, SetAside.BEHIND, SetAside.BEHIND);
        assertThat(database.parked().get(0).attempts()).isEqualTo(3);
        assertThat(database.parked().get(0).error()).contains("it is bad");
    }

    @Test
    void theKeyStaysParkedOverARestart() {
        giveUp(0, "bad");
        IdempotentHandler<String> later = handler();
        HandTurn turn = new HandTurn(envelope(null, 1, "x"));

        later.handle(turn);

        assertThat(turn.outcome(0)).isEqualTo(Outcome.Saved.SAVED);
        assertThat(parkedOffsets()).containsExactly(0L, 1L);
        assertThat(state()).isEmpty();
    }

    @Test
    void aMessageThatSomebodyElseHasAppliedMeanwhileIsNotParked() {
        handle(envelope(null, 0, "x"));

        giveUp(0, "x", "y");

        assertThat(parkedOffsets()).isEmpty();
        assertThat(state()).isEqualTo("xy");
    }

    @Test
    void bytesThatCanNotBeDecodedAreParkedAsSuch() {
        Outcome outcome = handle(envelope(null, 0, "?", "x"));
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        Outcome.Failed failed = (Outcome.Failed) outcome;

        handle(envelope(new GivenUp(1, failed.cause()), 0, "?", "x"));

        assertThat(database.parked())
                .extracting(ParkedMessage::reason)
                .containsExactly(SetAside.UNDECODABLE, SetAside.BEHIND);
    }

    @Test
    void redrivenMessagesAreFoldedInTheirOrderAndTheKeyFlowsAgain() {
        handle(envelope(null, 0, "x"));
        giveUp(1, "bad", "y");
        bad.clear();

        assertThat(asked(Action.REDRIVE, null)).isEqualTo("redrove 2");
        handle(envelope(null, 3, "z"));

        assertThat(state()).isEqualTo("xbadyz");
        assertThat(parkedOffsets()).isEmpty();
        assertThat(row().parked()).isZero();
        assertThat(row().marks().nextOffset(1)).isEqualTo(4);
    }

    @Test
    void whatFailsAgainStaysParkedWithAllBehindIt() {
        giveUp(0, "bad", "y", "worse", "z");
        bad.clear();
        bad.add("worse");

        assertThat(asked(Action.REDRIVE, null))
                .startsWith(
                        "redrove 2; then t-0@2 failed again: IllegalStateException: it is worse");

        assertThat(state()).isEqualTo("bady");
        assertThat(parkedOffsets()).containsExactly(2L, 3L);
        assertThat(row().parked()).isEqualTo(2);
    }

    @Test
    void aSkippedMessageIsDeletedAndThoseBehindItAreFolded() {
        giveUp(0, "bad", "y", "z");

        assertThat(asked(Action.SKIP, firstPosition())).isEqualTo("skipped 1, redrove 2");

        assertThat(state()).isEqualTo("yz");
        assertThat(row().parked()).isZero();
    }

    @Test
    void aMessageWithNothingBehindItIsSkippedToo() {
        handle(envelope(null, 0, "x"));
        giveUp(1, "bad");

        assertThat(asked(Action.SKIP, firstPosition())).isEqualTo("skipped 1, redrove 0");
        handle(envelope(null, 2, "y"));

        assertThat(state()).isEqualTo("xy");
    }

    @Test
    void aKeyWhoseParkedMessagesWereDeletedByHandFlowsAgain() {
        giveUp(0, "bad", "y");
        database.deleteParked(message -> true);

        assertThat(asked(Action.REDRIVE, null)).isEqualTo("redrove 0");
        handle(envelope(null, 2, "z"));

        assertThat(state()).isEqualTo("z");
    }

    @Test
    void theSameMessageIsNotSkippedTwice() {
        giveUp(0, "bad", "y", "bad", "z");
        long first = firstPosition();
        asked(Action.SKIP, first);

        assertThat(asked(Action.SKIP, first))
                .startsWith("it was not parked any more, redrove 0; then t-0@2 failed again");

        assertThat(state()).isEqualTo("y");
        assertThat(parkedOffsets()).containsExactly(2L, 3L);
    }

    @Test
    void droppedMessagesAreDeletedAndTheKeyFlowsAgain() {
        handle(envelope(null, 0, "x"));
        giveUp(1, "bad", "y");

        assertThat(asked(Action.DROP, null)).isEqualTo("dropped 2");
        handle(envelope(null, 3, "z"));

        assertThat(state()).isEqualTo("xz");
        assertThat(parkedOffsets()).isEmpty();
    }

    @Test
    void whatIsParkedWhileOthersAreRedrivenIsRedrivenBehindThem() {
        giveUp(0, "bad", "y");
        bad.clear();
        Request request = parked.ask("a", Action.REDRIVE, null);
        InMemoryParkedStore racing = new InMemoryParkedStore(database, "one", () -> clock);
        RequestDesk<String> raced =
                new RequestDesk<>(
                        new EnvelopeFold<>(
                                (state, value, message) -> {
                                    if (message.offset() == 0 && parkedOffsets().size() == 2) {
                                        handle(envelope(null, 2, "z"));
                                    }
                                    return (state == null ? "" : state) + value;
                                },
                                new TextCodec(),
                                (value, message) -> decode(value),
                                MessageIds.NONE,
                                IdLimits.ofCount(1),
                                1_000),
                        store,
                        racing);

        assertThat(raced.turn(FoldGuard.NONE)).isTrue();

        assertThat(parked.answerTo(request)).contains("redrove 3");
        assertThat(state()).isEqualTo("badyz");
        assertThat(row().parked()).isZero();
    }

    @Test
    void aSkipWhoseReplyWasLostGoesOnBehindTheMessageThatIsNotThereAnyMore() {
        giveUp(0, "bad", "y", "z");
        Request request = parked.ask("a", Action.SKIP, parked.first("a", 1).get(0).position());
        Snapshot row = row();
        assertThat(
                        parked.save(
                                row.unparked(1),
                                List.of(Objects.requireNonNull(request.position())),
                                database.incarnation()))
                .isTrue();

        desk.turn(FoldGuard.NONE);

        assertThat(parked.answerTo(request)).contains("it was not parked any more, redrove 2");
        assertThat(state()).isEqualTo("yz");
        assertThat(row().parked()).isZero();
    }

    @Test
    void aRequestIsCarriedOutByOneProcessOnly() {
        giveUp(0, "bad", "y");
        Request request = parked.ask("a", Action.DROP, null);
        InMemoryParkedStore other = new InMemoryParkedStore(database, "two", () -> clock);
        assertThat(other.take(Duration.ofMinutes(1))).contains(request);

        assertThat(desk.turn(FoldGuard.NONE)).isFalse();
        clock = Duration.ofMinutes(2).toNanos();
        assertThat(desk.turn(FoldGuard.NONE)).isTrue();

        assertThat(parked.answerTo(request)).contains("dropped 2");
        assertThat(parked.open()).isEmpty();
    }

    @Test
    void aRequestThatThreeProcessesWereNotHeardOfAgainWithIsGivenUp() {
        giveUp(0, "bad", "y");
        Request request = parked.ask("a", Action.REDRIVE, null);
        for (String process : List.of("two", "three", "four")) {
            InMemoryParkedStore dying = new InMemoryParkedStore(database, process, () -> clock);
            assertThat(dying.take(Duration.ofMinutes(1))).isPresent();
            clock += Duration.ofMinutes(2).toNanos();
        }

        assertThat(desk.turn(FoldGuard.NONE)).isTrue();

        assertThat(parked.answerTo(request).orElseThrow()).startsWith("given up: 3 processes");
        assertThat(row().parked()).isEqualTo(2);
    }

    @Test
    void whatALeavingProcessGivesBackIsNotHeldAgainstTheRequest() {
        giveUp(0, "bad", "y");
        Request request = parked.ask("a", Action.DROP, null);
        for (String process : List.of("two", "three", "four")) {
            InMemoryParkedStore leaving = new InMemoryParkedStore(database, process, () -> clock);
            assertThat(leaving.take(Duration.ofMinutes(1))).isPresent();
            leaving.leave();
        }

        assertThat(desk.turn(FoldGuard.NONE)).isTrue();

        assertThat(parked.answerTo(request)).contains("dropped 2");
    }

    @Test
    void theGuardIsToldOfEachMessageThatIsRedriven() {
        giveUp(0, "bad", "y");
        bad.clear();
        parked.ask("a", Action.REDRIVE, null);
        List<Long> entered = new ArrayList<>();
        FoldGuard guard =
                new FoldGuard() {
                    @Override
                    public void enter(Message message, Class<?> handler) {
                        entered.add(message.offset());
                    }

                    @Override
                    public boolean leave() {
                        return entered.size() != 2; // the second takes too long
                    }
                };

        assertThat(desk.turn(guard)).isTrue();

        assertThat(entered).startsWith(0L, 1L);
        assertThat(row().parked()).as("an attempt that took too long has failed").isEqualTo(1);
    }

    @Test
    void ofAKeyWithoutParkedMessagesThereIsNothingToDo() {
        handle(envelope(null, 0, "x"));

        assertThat(asked(Action.REDRIVE, null)).isEqualTo("nothing is parked");
        assertThat(row().version()).isEqualTo(1);
    }
}
