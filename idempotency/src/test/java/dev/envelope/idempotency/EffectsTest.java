package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.HandlerTimeoutException;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.EffectLimits;
import dev.envelope.idempotency.fold.Effects;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.store.PartitionStops;
import dev.envelope.idempotency.store.output.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a handler emits, as it is saved with the rows. */
final class EffectsTest {

    private static final EffectLimits LIMITS = new EffectLimits(3, 1_000, 5, 10_000);

    private final HandlerBench bench = new HandlerBench();
    private final EffectBench saves = new EffectBench(bench);
    private EffectLimits limitsOfOutputs = LIMITS;
    private @Nullable Effects leaked;
    private IdempotentHandler<StringBuilder> handler =
            handler(UserFold.emitting(this::apply), SetAsideLimits.none());

    /** The state is all values; a value of n dots emits n records. */
    private @Nullable StringBuilder apply(
            @Nullable StringBuilder state, @Nullable String value, Effects effects) {
        leaked = effects;
        if (value == null) {
            effects.emit("gone", effects.message().key(), (String) null);
            return null;
        }
        String at = effects.message().key() + effects.message().offset();
        for (int i = 0; i < value.length() && value.charAt(i) == '.'; i++) {
            effects.emit("out", effects.message().key(), at + "/" + i);
        }
        if (value.endsWith("boom")) {
            throw new IllegalStateException(value);
        }
        return (state == null ? new StringBuilder() : state).append(value);
    }

    private IdempotentHandler<StringBuilder> handler(
            UserFold<StringBuilder, String> fold, SetAsideLimits limits) {
        return saves.handler(fold, new PuttingOut(null, null, limitsOfOutputs, true), limits);
    }

    private @Nullable Outcome handle(Envelope envelope) {
        return handle(new HandTurn(envelope));
    }

    private @Nullable Outcome handle(HandTurn turn) {
        handler.handle(turn);
        return turn.outcome(0);
    }

    @Test
    void whatIsEmittedIsSavedWithTheRowNumberedByMessage() {
        handle(bench.envelope("a", 4, "..", "x", "."));

        assertThat(saves.all()).containsExactly("out a a4/0 1", "out a a4/1 2", "out a a6/0 1");
        assertThat(saves.outputs.get(2).origin().offset()).isEqualTo(6);
        assertThat(bench.state("a")).isEqualTo("..x.");
    }

    @Test
    void whileTooManyOutputsWaitAHandlerThatEmitsHasNoRoom() {
        saves.room = new OutputRoom(new OutputRoom.Limits(2, 1 << 20), () -> {});
        handler = handler(UserFold.emitting(this::apply), SetAsideLimits.none());
        assertThat(handler.hasRoom()).isTrue();

        handle(bench.envelope("a", 0, ".."));

        assertThat(handler.hasRoom()).isFalse();
        assertThat(handle(bench.envelope("b", 1, "."))).isEqualTo(Outcome.Crowded.CROWDED);
        UserFold<StringBuilder, String> silent =
                UserFold.of((state, value, message) -> new StringBuilder(value));
        assertThat(handler(silent, SetAsideLimits.none()).hasRoom()).isTrue();
    }

    @Test
    void duplicatesEmitNothing() {
        handle(bench.envelope("a", 0, "."));
        handle(bench.envelope("a", 0, ".", "."));

        assertThat(saves.all()).containsExactly("out a a0/0 1", "out a a1/0 1");
    }

    @Test
    void aMessageThatFailsEmitsNothingAndThoseBeforeItOnce() {
        Outcome outcome = handle(bench.envelope("a", 0, "..", ".boom", "."));

        HandlerBench.isFailed(outcome, 1, true);
        assertThat(saves.all()).containsExactly("out a a0/0 1", "out a a0/1 2");
    }

    @Test
    void aMessageThatTakesTooLongEmitsNothing() {
        HandTurn turn = new HandTurn(bench.envelope("a", 0, ".", ".", ".")).tooSlowAt(1L);

        Outcome outcome = handle(turn);

        HandlerBench.isFailed(outcome, 1, true);
        assertThat(((Outcome.Failed) Objects.requireNonNull(outcome)).cause())
                .isInstanceOf(HandlerTimeoutException.class)
                .hasMessageContaining("EffectsTest");
        assertThat(saves.all()).containsExactly("out a a0/0 1");
    }

    @Test
    void aStateThatIsTooLargeIsFoldedInHalvesAndEachMessageEmitsOnce() {
        String half = "." + "x".repeat(HandlerBench.MAX_STATE_BYTES * 2 / 3);

        Outcome first = handle(bench.envelope("a", 0, half, half));

        assertThat(first)
                .isInstanceOfSatisfying(
                        Outcome.Deferred.class, it -> assertThat(it.done().size()).isEqualTo(1));
        assertThat(saves.all()).containsExactly("out a a0/0 1");
    }

    @Test
    void afterAConflictOnlyWhatIsNewIsEmitted() {
        handle(bench.envelope("a", 0, "."));
        bench.store.beforeSave(() -> bench.elsewhere("a", 1, "y"));

        assertThat(handle(bench.envelope("a", 1, ".", "."))).isInstanceOf(Outcome.Saved.class);

        assertThat(saves.all()).containsExactly("out a a0/0 1", "out a a2/0 1");
    }

    @Test
    void theResultOfAFoldThatWasLeftBehindBringsItsOutputs() {
        HandTurn taken = new HandTurn(bench.envelope("a", 0, ".", "..")).takenInTheNextFold();
        handler.handle(taken);
        Envelope envelope = bench.envelope("a", 0, ".", "..");
        assertThat(saves.all()).isEmpty();

        handle(new Envelope("a", envelope.messages(), taken.brought(), null, null));

        assertThat(saves.all()).containsExactly("out a a0/0 1", "out a a1/0 1", "out a a1/1 2");
    }

    @Test
    void aMessageThatEmitsTooManyRecordsHasFailedForGood() {
        Outcome outcome = handle(bench.envelope("a", 0, "...", "...."));

        isOwnFault(outcome, "emit.max.per.message=3");
        assertThat(saves.all()).hasSize(3);
    }

    @Test
    void aMessageThatEmitsTooManyBytesHasFailedForGood() {
        handler =
                emitting(
                        (state, value, effects) -> {
                            effects.emit("out", "k", "x".repeat(1_000));
                            return state;
                        });

        isOwnFault(handle(bench.envelope("a", 0, "x")), "emit.max.bytes.per.message=1000");
    }

    @Test
    void headersCountAsBytes() {
        handler =
                emitting(
                        (state, value, effects) -> {
                            RecordHeaders headers = new RecordHeaders();
                            headers.add("h", new byte[1_000]);
                            effects.emit("out", null, null, headers);
                            return state;
                        });

        isOwnFault(handle(bench.envelope("a", 0, "x")), "emit.max.bytes.per.message");
    }

    @Test
    void aHandlerThatCatchesTheErrorHasFailedAllTheSame() {
        handler =
                emitting(
                        (state, value, effects) -> {
                            assertThatThrownBy(() -> effects.emit("no topic", "k", "v"))
                                    .isInstanceOf(MalformedException.class);
                            return new StringBuilder("goes on");
                        });

        isOwnFault(handle(bench.envelope("a", 0, "x")), "'no topic' is no name for a topic");
        assertThat(bench.database.rows()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a/b", "a b", "\u00e4"})
    void namesThatNoBrokerTakesAreRefused(String topic) {
        handler =
                emitting(
                        (state, value, effects) -> {
                            effects.emit(topic, "k", "v");
                            return state;
                        });

        isOwnFault(handle(bench.envelope("a", 0, "x")), "is no name for a topic");
    }

    @Test
    void headersOfOurOwnAreReserved() {
        handler =
                emitting(
                        (state, value, effects) -> {
                            RecordHeaders headers = new RecordHeaders();
                            headers.add("envelope.id", new byte[0]);
                            effects.emit("out", null, null, headers);
                            return state;
                        });

        isOwnFault(handle(bench.envelope("a", 0, "x")), "envelope.id is reserved");
    }

    @Test
    void whatIsEmittedIsACopy() {
        byte[] key = {1};
        byte[] value = {2};
        byte[] header = {3};
        RecordHeaders headers = new RecordHeaders();
        headers.add("h", header);
        handler =
                emitting(
                        (state, text, effects) -> {
                            effects.emit("out", key, value, headers);
                            key[0] = value[0] = header[0] = 9;
                            headers.remove("h");
                            return new StringBuilder();
                        });

        handle(bench.envelope("a", 0, "x"));

        Output output = saves.outputs.get(0);
        assertThat(output.key()).containsExactly(1);
        assertThat(output.value()).containsExactly(2);
        assertThat(output.headers().lastHeader("h").value()).containsExactly(3);
    }

    @Test
    void nothingIsEmittedOnceTheHandlerHasReturned() {
        handle(bench.envelope("a", 0, "x"));

        assertThatThrownBy(() -> Objects.requireNonNull(leaked).emit("out", "k", "v"))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aTurnThatHasEmittedEnoughSavesAndLeavesTheRest() {
        HandTurn turn =
                new HandTurn(bench.envelope("a", 0, "...", "..", "."), bench.envelope("b", 3, "."));

        Outcome first = handle(turn);

        assertThat(first)
                .isInstanceOfSatisfying(
                        Outcome.Deferred.class, it -> assertThat(it.done().size()).isEqualTo(2));
        assertThat(turn.outcome(1)).isEqualTo(Outcome.Deferred.NOT_BEGUN);
        assertThat(saves.all()).hasSize(5);
    }

    @Test
    void aTurnWhoseFirstMessageEmitsAllThatItMayStillDoesThat() {
        limitsOfOutputs = new EffectLimits(3, 1_000, 1, 1);
        handler = handler(UserFold.emitting(this::apply), SetAsideLimits.none());

        handle(bench.envelope("a", 0, "...", "."));

        assertThat(saves.all()).hasSize(3);
    }

    @Test
    void parkedMessagesEmitNothing() {
        Envelope envelope = bench.envelope("a", 0, ".boom", ".");

        handle(
                new Envelope(
                        "a",
                        envelope.messages(),
                        null,
                        null,
                        new GivenUp(3, new IllegalStateException("boom"))));

        assertThat(bench.database.parked()).hasSize(2);
        assertThat(saves.all()).isEmpty();
    }

    @Test
    void outputsAreNoFailures() {
        List<String> stopped = new ArrayList<>();
        PartitionStops stops =
                new PartitionStops() {
                    @Override
                    public long parked(int source) {
                        return 0;
                    }

                    @Override
                    public void stop(int source, String reason) {
                        stopped.add(reason);
                    }
                };
        handler =
                handler(
                        UserFold.emitting(this::apply),
                        new SetAsideLimits(
                                new SetAsideLimits.Bounds(1, 1, 1, 1), stops, message -> {}));

        for (int i = 0; i < 1_000; i++) {
            assertThat(handle(bench.envelope("a" + i, i, ".."))).isInstanceOf(Outcome.Saved.class);
        }

        assertThat(saves.all()).hasSize(2_000);
        assertThat(stopped).isEmpty();
    }

    private IdempotentHandler<StringBuilder> emitting(EffectFold<StringBuilder, String> fold) {
        return handler(UserFold.emitting(fold), SetAsideLimits.none());
    }

    private static void isOwnFault(@Nullable Outcome outcome, String why) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        it -> {
                            assertThat(it.retryable()).isFalse();
                            assertThat(it.cause()).hasMessageContaining(why);
                        });
    }
}
