package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.dedupe.HeaderIds;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.outbox.DeadLetterHeaders;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.OutboxRecord;
import dev.envelope.idempotency.store.row.Snapshot;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A message that has failed for the last time becomes a dead letter, and its key goes on. The state
 * is the text of all values that were applied; {@code bad} throws, {@code ?} can't be decoded.
 */
final class DeadLetterTest {

    private static final DeadLetters LETTERS =
            new DeadLetters("dead", "app", DeadLetterHeaders.STREAMS);

    private final InMemoryDatabase database = new InMemoryDatabase();
    private final ScriptedStore store = new ScriptedStore(database);
    private final PartitionEpoch epoch = Records.epoch(1, 1, database.incarnation());
    private final Counted counted = new Counted();
    private final OutboxRoom room = new OutboxRoom(new OutboxRoom.Limits(2, Duration.ofMinutes(1)));
    private final IdempotentHandler<String> handler = handler(LETTERS);

    private static final class Counted implements Telemetry {
        private int deadLetters;
        private int applied;

        @Override
        public void deadLettered(String reason, int messages) {
            deadLetters += messages;
        }

        @Override
        public void saved(int rows, int messages) {
            applied += messages;
        }
    }

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

    private IdempotentHandler<String> handler(@Nullable DeadLetters letters) {
        Fold<String, String> fold =
                (state, value, message) -> {
                    if ("bad".equals(value)) {
                        throw new IllegalStateException("it is\nbad");
                    }
                    return (state == null ? "" : state) + value;
                };
        return new IdempotentHandler<>(
                new EnvelopeFold<>(
                        UserFold.of(fold),
                        new TextCodec(),
                        (value, message) -> decode(value),
                        new HeaderIds("id"),
                        IdLimits.ofCount(10),
                        1_000,
                        PuttingOut.of(letters)),
                store,
                new SnapshotCache<>(1 << 20),
                counted,
                IdempotentHandler.Bounds.of(room),
                null);
    }

    private static String decode(byte[] value) {
        String text = new String(value, StandardCharsets.UTF_8);
        if (text.equals("?")) {
            throw new MalformedException("no value");
        }
        return text;
    }

    private Envelope envelope(@Nullable GivenUp givenUp, long offset, String... values) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            Message message = Records.message(epoch, offset + i, "a", values[i]);
            byte[] id = ("id of " + values[i]).getBytes(StandardCharsets.UTF_8);
            messages.add(Records.withHeader(message, "id", id));
        }
        return new Envelope("a", messages, null, null, givenUp);
    }

    private @Nullable Outcome handle(Envelope envelope) {
        return handle(handler, envelope);
    }

    private static @Nullable Outcome handle(IdempotentHandler<String> by, Envelope envelope) {
        HandTurn turn = new HandTurn(envelope);
        by.handle(turn);
        return turn.outcome(0);
    }

    private static GivenUp last() {
        return new GivenUp(3, new IllegalStateException("it is\nbad"));
    }

    private Snapshot row() {
        return database.rows().getOrDefault("a", Snapshot.absent("a"));
    }

    private String state() {
        byte[] state = row().state();
        return state == null ? "" : new TextCodec().decode(state);
    }

    private List<Long> deadOffsets() {
        return database.outbox().stream().map(it -> it.origin().offset()).toList();
    }

    private static @Nullable String header(OutboxRecord letter, String name) {
        var header = letter.headers().lastHeader(name);
        return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }

    @Test
    void theMessageAloneBecomesADeadLetterAndItsKeyGoesOnInOrder() {
        handle(envelope(null, 0, "x"));

        assertThat(handle(envelope(last(), 1, "bad", "y", "z"))).isInstanceOf(Outcome.Saved.class);

        assertThat(state()).isEqualTo("xyz");
        assertThat(deadOffsets()).containsExactly(1L);
        assertThat(row().marks().nextOffset(1)).isEqualTo(4);
        assertThat(row().parked()).isZero();
        assertThat(database.parked()).isEmpty();
        assertThat(counted.deadLetters).isEqualTo(1);
        assertThat(counted.applied).isEqualTo(3);
    }

    @Test
    void itHasTheBytesAndHeadersOfTheMessageAndOurs() {
        handle(envelope(last(), 7, "bad"));

        OutboxRecord letter = database.outbox().get(0);
        assertThat(letter.topic()).isEqualTo("dead");
        assertThat(letter.key()).isEqualTo("a".getBytes(StandardCharsets.UTF_8));
        assertThat(letter.value()).isEqualTo("bad".getBytes(StandardCharsets.UTF_8));
        assertThat(header(letter, "id")).isEqualTo("id of bad");
        assertThat(header(letter, "__streams.errors.exception"))
                .isEqualTo("java.lang.IllegalStateException: it is\\u000abad");
        assertThat(header(letter, "__streams.errors.offset")).isEqualTo("7");
        assertThat(header(letter, "envelope.attempts")).isEqualTo("3");
        assertThat(header(letter, "envelope.reason")).isEqualTo("failed");
    }

    @Test
    void itsEventIdIsNotRemembered() {
        handle(envelope(last(), 0, "bad"));
        byte[] id = "id of bad".getBytes(StandardCharsets.UTF_8);
        Message again = Records.withHeader(Records.message(epoch, 1, "a", "good"), "id", id);

        handle(new Envelope("a", List.of(again), null, null, null));

        assertThat(state()).isEqualTo("good");
    }

    @Test
    void whatBecameOfEachMessageIsToldInItsOrder() {
        assertThat(became(handler, envelope(null, 0, "x"))).isEqualTo("APPLIED");
        assertThat(became(handler, envelope(null, 0, "x", "y", "x", "bad")))
                .as("by its mark, new, by its event id; then one that fails")
                .isEqualTo("DUPLICATE, APPLIED, DUPLICATE");
        assertThat(became(handler, envelope(last(), 3, "bad", "z"))).isEqualTo("PUT_OUT, APPLIED");
        assertThat(became(handler(null), envelope(last(), 5, "bad", "w")))
                .isEqualTo("PARKED, PARKED");
    }

    private static String became(IdempotentHandler<String> by, Envelope envelope) {
        return Objects.requireNonNull(handle(by, envelope)).done().toString();
    }

    @Test
    void aMessageThatSomebodyElseHasAppliedMeanwhileIsNoDeadLetter() {
        handle(envelope(null, 0, "x"));

        handle(envelope(last(), 0, "x", "y"));

        assertThat(deadOffsets()).isEmpty();
        assertThat(state()).isEqualTo("xy");
    }

    @Test
    void whoComesSecondPutsNothingOut() {
        store.beforeSave(() -> handle(handler(LETTERS), envelope(last(), 0, "bad", "y")));

        assertThat(handle(envelope(last(), 0, "bad"))).isInstanceOf(Outcome.Saved.class);

        assertThat(deadOffsets()).containsExactly(0L);
        assertThat(state()).isEqualTo("y");
        assertThat(row().version()).isEqualTo(1);
    }

    @Test
    void aSecondMessageThatFailsWaitsForItsOwnAttempts() {
        Outcome outcome = handle(envelope(last(), 0, "bad", "y", "bad"));

        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        assertThat(((Outcome.Failed) outcome).done().size()).isEqualTo(2);
        assertThat(deadOffsets()).containsExactly(0L);
        assertThat(state()).isEqualTo("y");
    }

    @Test
    void bytesThatCanNotBeDecodedAreSaidToBe() {
        Outcome outcome = handle(envelope(null, 0, "?"));
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        Outcome.Failed failed = (Outcome.Failed) outcome;
        assertThat(failed.retryable()).isFalse();

        handle(envelope(new GivenUp(1, failed.cause()), 0, "?", "x"));

        OutboxRecord letter = database.outbox().get(0);
        assertThat(letter.reason()).isEqualTo("undecodable");
        assertThat(header(letter, "__streams.errors.exception"))
                .isEqualTo(MalformedException.class.getName() + ": no value");
        assertThat(state()).isEqualTo("x");
    }

    @Test
    void messagesWithoutARowBecomeDeadLettersOnce() {
        Message nobody = Records.withoutRow(epoch, 5, "null-key: no key");
        Envelope envelope = new Envelope(nobody.key(), List.of(nobody), null, null, null);

        assertThat(handle(envelope)).isInstanceOf(Outcome.Saved.class);
        assertThat(handle(envelope)).isInstanceOf(Outcome.Saved.class);

        assertThat(database.parked()).isEmpty();
        OutboxRecord letter = database.outbox().get(0);
        assertThat(deadOffsets()).containsExactly(5L);
        assertThat(letter.reason()).isEqualTo("null-key");
        assertThat(header(letter, "__streams.errors.message")).isEqualTo("no key");
        assertThat(header(letter, "__streams.errors.exception")).isNull();
    }

    @Test
    void messagesWithoutARowThatStandBelowTheCheckpointAreNotPutOutAgain() {
        PartitionEpoch again =
                Records.epochAgain(2, 1, database.incarnation(), new NextOffset(6, 0));
        Message nobody = Records.withoutRow(again, 5, "null-key: no key");

        assertThat(handle(new Envelope(nobody.key(), List.of(nobody), null, null, null)))
                .isInstanceOf(Outcome.Saved.class);

        assertThat(database.outbox()).isEmpty();
        assertThat(counted.deadLetters).isZero();
    }

    @Test
    void ofAKeyThatIsParkedNothingBecomesADeadLetterForItMayNotOvertake() {
        handle(handler(null), envelope(last(), 0, "bad"));

        handle(envelope(last(), 1, "bad", "x"));

        assertThat(deadOffsets()).isEmpty();
        assertThat(row().parked()).isEqualTo(3);
    }

    @Test
    void withoutRoomItWaitsAndNothingIsSavedOrLoaded() {
        handle(envelope(last(), 0, "bad"));
        handle(envelope(last(), 1, "bad"));
        int saves = store.saves().size();

        assertThat(handle(envelope(last(), 2, "bad"))).isEqualTo(Outcome.Waiting.on(Doing.NO_ROOM));

        assertThat(store.saves()).hasSize(saves);
        assertThat(handle(envelope(null, 2, "x"))).isInstanceOf(Outcome.Saved.class);
        assertThat(state()).isEqualTo("x");
    }

    @Test
    void aRowThatCanNotBeStoredFailsWithItsDeadLetter() {
        store.faultIn(change -> !change.deadLetters().isEmpty());

        Outcome outcome = handle(envelope(last(), 0, "bad", "x"));

        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        assertThat(database.outbox()).isEmpty();
        assertThat(row().isAbsent()).isTrue();
    }

    @Test
    void aChangeWeighsWhatItPutsOut() {
        Message message = Records.message(epoch, 0, "a", "bad");
        OutboxRecord letter =
                LETTERS.ofFailed(message, "failed", Exception.class, new Exception("no"), 1);

        assertThat(
                        Change.ofMessagesWithoutRow(
                                        Message.NO_ROW, List.of(), List.of(letter), List.of())
                                .bytes())
                .isGreaterThan(
                        Change.ofMessagesWithoutRow(List.of()).bytes() + Message.OVERHEAD_BYTES);
    }
}
