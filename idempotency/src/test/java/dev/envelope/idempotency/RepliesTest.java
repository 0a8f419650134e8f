package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.dedupe.HeaderIds;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EffectLimits;
import dev.envelope.idempotency.fold.Effects;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.DeadLetterHeaders;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The answers to commands, as they are saved with the rows. */
final class RepliesTest {

    private static final EffectLimits LIMITS = new EffectLimits(3, 100, 50, 10_000);

    private final HandlerBench bench = new HandlerBench();
    private final EffectBench saves = new EffectBench(bench);
    private IdempotentHandler<StringBuilder> handler = emitting(PuttingOut.NOTHING);

    RepliesTest() {
        saves.ids = new HeaderIds(Reply.COMMAND);
    }

    /** The state is all values; "?x" is answered with how many letters there were before. */
    private StringBuilder apply(
            @Nullable StringBuilder before, @Nullable String value, Effects effects) {
        StringBuilder state = before == null ? new StringBuilder() : before;
        if (value != null && value.startsWith("?")) {
            effects.reply("0");
            effects.reply("" + state.length());
        } else if ("boom".equals(value)) {
            effects.reply("never");
            throw new IllegalStateException("it is boom");
        } else if ("long".equals(value)) {
            effects.reply("x".repeat(101));
        }
        return state.append(value);
    }

    private IdempotentHandler<StringBuilder> emitting(PuttingOut out) {
        return saves.handler(UserFold.emitting(this::apply), out, SetAsideLimits.none());
    }

    private Message command(long offset, String id, String value) {
        return command(bench.epoch, offset, id, value);
    }

    private static Message command(PartitionEpoch epoch, long offset, String id, String value) {
        byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
        return Records.message(
                epoch,
                offset,
                "a",
                value.getBytes(StandardCharsets.UTF_8),
                new RecordHeaders().add(Reply.COMMAND, bytes));
    }

    private @Nullable Outcome handle(Message... messages) {
        return handle(Envelope.of("a", List.of(messages)));
    }

    private @Nullable Outcome handle(Envelope envelope) {
        HandTurn turn = new HandTurn(envelope);
        handler.handle(turn);
        return turn.outcome(0);
    }

    private static Envelope givenUp(Message message) {
        GivenUp why = new GivenUp(3, new IllegalStateException("it is boom"));
        return new Envelope("a", List.of(message), null, null, why);
    }

    /** Result, offset, and what was replied or else the state. */
    private String answer(String command) {
        return bench.database.answer("a", command);
    }

    @Test
    void theAnswerIsTheReplyOrTheStateAfterTheSave() {
        handle(command(0, "c1", "xy"), command(1, "c2", "?"), command(2, "c3", "z"));

        assertThat(answer("c1")).isEqualTo("applied @0 v1 state \"xy?z\"");
        assertThat(answer("c2")).isEqualTo("applied @1 v1 2");
        assertThat(answer("c3")).isEqualTo("applied @2 v1 state \"xy?z\"");
        assertThat(bench.database.answer("a", "c4")).isEqualTo("none");
        assertThat(saves.answered)
                .containsExactly(
                        new CommandId("a", "c1"),
                        new CommandId("a", "c2"),
                        new CommandId("a", "c3"));
    }

    @Test
    void aHandlerWithoutEffectsAnswersWithTheState() {
        handler =
                saves.handler(
                        UserFold.of((state, value, message) -> new StringBuilder(value)),
                        PuttingOut.NOTHING,
                        SetAsideLimits.none());

        handle(command(0, "c1", "x"));

        assertThat(answer("c1")).isEqualTo("applied @0 v1 state \"x\"");
    }

    @Test
    void theFirstAnswerStaysWhenTheCommandComesAgain() {
        handle(command(0, "c1", "?"), command(1, "c1", "?"));
        handle(command(2, "c1", "?"));
        handle(command(0, "c1", "?"));

        assertThat(answer("c1")).isEqualTo("applied @0 v1 0");
        assertThat(bench.state("a")).isEqualTo("?");
    }

    /** Nothing but the answer tells that they are the same: no event ids. */
    private void withoutIds() {
        saves.ids = MessageIds.NONE;
        handler = emitting(PuttingOut.NOTHING);
    }

    @Test
    void aCommandThatWasAppliedIsNotAppliedAgainWhateverTheWindowOfEventIdsHas() {
        withoutIds();
        handle(command(0, "c1", "?"), command(1, "c2", "x"));

        handle(command(2, "c1", "?"));
        handler = emitting(PuttingOut.NOTHING); // another process, without a cached row
        handle(command(3, "c2", "x"), command(4, "c3", "y"), command(5, "c1", "?"));

        assertThat(bench.state("a")).isEqualTo("?xy");
        assertThat(answer("c1")).isEqualTo("applied @0 v1 0");
        assertThat(bench.counts.duplicates).isEqualTo(3);
    }

    @Test
    void ofTwoRecordsOfACommandInOneEnvelopeOneIsApplied() {
        withoutIds();

        handle(command(0, "c1", "?"), command(1, "c2", "x"), command(2, "c1", "?"));

        assertThat(bench.state("a")).isEqualTo("?x");
        assertThat(answer("c1")).isEqualTo("applied @0 v1 0");
    }

    @Test
    void theSameIdOfAnotherKeyIsAnotherCommand() {
        withoutIds();
        handle(command(0, "c1", "x"));

        Message other =
                Records.message(
                        bench.epoch,
                        1,
                        "b",
                        new byte[] {'y'},
                        new RecordHeaders().add(Reply.COMMAND, new byte[] {'c', '1'}));
        handle(Envelope.of("b", List.of(other)));

        assertThat(bench.state("b")).isEqualTo("y");
    }

    @Test
    void whatAnotherProcessHasAppliedMeanwhileIsFoundWhenTheSaveHasFailed() {
        withoutIds();
        bench.store.beforeSave(
                () -> {
                    IdempotentHandler<StringBuilder> other =
                            new EffectBench(bench)
                                    .handler(
                                            UserFold.emitting(this::apply),
                                            PuttingOut.NOTHING,
                                            SetAsideLimits.none());
                    other.handle(new HandTurn(Envelope.of("a", List.of(command(0, "c1", "x")))));
                });

        handle(command(1, "c1", "x"), command(2, "c2", "y"));

        assertThat(bench.state("a")).isEqualTo("xy");
        assertThat(answer("c1")).isEqualTo("applied @0 v1 state \"x\"");
    }

    private void appliedToARowThatIsGone(Message command) {
        withoutIds();
        handle(command);
        bench.database.deleteRow("a");
        handler = emitting(PuttingOut.NOTHING);
    }

    @Test
    void anAnswerOfARowThatIsGoneSaysNothing() {
        appliedToARowThatIsGone(command(0, "c1", "x"));

        handle(command(0, "c1", "x")); // read again

        assertThat(bench.state("a")).isEqualTo("x");
    }

    /** The log was cut meanwhile, say, so what it holds has another source. */
    @Test
    void aCommandThatIsAppliedOnceMoreToARowMadeAnewIsNotAppliedToItTwice() {
        appliedToARowThatIsGone(command(0, "c1", "x"));
        PartitionEpoch other = Records.epoch(2, 2, bench.life);

        handle(command(other, 5, "c1", "x"));
        handle(command(other, 6, "c1", "x"));

        assertThat(bench.state("a")).isEqualTo("x");
        assertThat(answer("c1")).isEqualTo("applied @5 v1 state \"x\"");
    }

    @Test
    void aParkedCommandIsNotAppliedYetAndOnceItIsARepeatedOneIsADuplicateEvenOfAFrozenKey() {
        withoutIds();
        handle(command(0, "c1", "x"));
        handle(givenUp(command(1, "c2", "boom")));
        handle(command(2, "c2", "fine"), command(3, "c1", "x"));

        assertThat(bench.state("a")).isEqualTo("x");
        assertThat(answer("c2")).startsWith("parked @1");
        assertThat(answer("c1")).startsWith("applied @0");
        assertThat(bench.database.parked())
                .extracting(it -> it.message().offset())
                .containsExactly(1L, 2L);
    }

    @Test
    void aCommandThatWasPutOutAndIsSentAgainIsAppliedAndItsAnswerSaysSo() {
        saves.ids = MessageIds.NONE;
        handler =
                emitting(PuttingOut.of(new DeadLetters("dead", "app", DeadLetterHeaders.STREAMS)));
        handle(givenUp(command(0, "c1", "boom")));

        handle(command(1, "c1", "fine"));
        handle(command(2, "c1", "fine"));

        assertThat(bench.state("a")).isEqualTo("fine");
        assertThat(answer("c1")).isEqualTo("applied @1 v2 state \"fine\"");
    }

    @Test
    void ofAnEnvelopeInWhichACommandIsPutOutAndThenAppliedTheAnswerIsThatItWasApplied() {
        saves.ids = MessageIds.NONE;
        handler =
                emitting(PuttingOut.of(new DeadLetters("dead", "app", DeadLetterHeaders.STREAMS)));
        GivenUp why = new GivenUp(3, new IllegalStateException("it is boom"));
        Message first = command(0, "c1", "boom");

        handle(new Envelope("a", List.of(first, command(1, "c1", "fine")), null, null, why));

        assertThat(answer("c1")).isEqualTo("applied @1 v1 state \"fine\"");
    }

    @Test
    void messagesThatAreNoCommandsAskForNoAnswers() {
        handle(bench.message(0, "a", "x"), bench.message(1, "a", "y"));
        assertThat(saves.askedForAnswers).isZero();

        handle(command(2, "c1", "z"));
        assertThat(saves.askedForAnswers).isEqualTo(1);
    }

    @Test
    void aDuplicateOfAMessageThatWasNoCommandIsAnsweredAsSuch() {
        saves.ids = new HeaderIds("id");
        handler = emitting(PuttingOut.NOTHING);
        byte[] id = "e1".getBytes(StandardCharsets.UTF_8);
        handle(Records.withHeader(bench.message(0, "a", "x"), "id", id));
        Message second = command(1, "e1", "x");
        second.headers().add("id", id);
        handle(second);

        assertThat(answer("e1")).isEqualTo("duplicate @1 v2 state \"x\"");
    }

    @Test
    void aDuplicateDoesNotGetTheReplyToTheMessageBeforeIt() {
        saves.ids = new HeaderIds("id");
        handler = emitting(PuttingOut.NOTHING);
        byte[] id = "e1".getBytes(StandardCharsets.UTF_8);
        Message first = command(0, "c1", "?");
        first.headers().add("id", id);
        Message second = command(1, "c2", "?");
        second.headers().add("id", id);

        handle(first, second);

        assertThat(answer("c1")).isEqualTo("applied @0 v1 0");
        assertThat(answer("c2")).isEqualTo("duplicate @1 v1 state \"?\"");
    }

    @Test
    void aCommandThatFailsHasNoAnswerYetAndAParkedOneHasItsReason() {
        assertThat(handle(command(0, "c1", "boom"))).isInstanceOf(Outcome.Failed.class);
        assertThat(answer("c1")).isEqualTo("none");

        handle(givenUp(command(0, "c1", "boom")));
        handle(command(1, "c2", "x"));

        assertThat(answer("c1"))
                .isEqualTo("parked @0 v1 because IllegalStateException: it is boom");
        assertThat(answer("c2"))
                .isEqualTo(
                        "parked @1 v2 because a message of its key before it was parked when it came");
    }

    @Test
    void aCommandThatBecomesADeadLetterIsNeverSaidToBeApplied() {
        handler =
                emitting(PuttingOut.of(new DeadLetters("dead", "app", DeadLetterHeaders.STREAMS)));

        handle(givenUp(command(0, "c1", "boom")));

        assertThat(answer("c1"))
                .isEqualTo("put out @0 v1 because IllegalStateException: it is boom");
    }

    @Test
    void ofARunThatDoesNotWinNothingIsAnswered() {
        bench.store.beforeSave(() -> bench.elsewhere("a", 0, "yyy"));

        handle(bench.message(0, "a", "yyy"), command(1, "c1", "?"));

        assertThat(answer("c1")).isEqualTo("applied @1 v2 3");
    }

    @Test
    void anAnswerThatIsTooLongIsTheMessagesFault() {
        handler = emitting(new PuttingOut(null, null, LIMITS, false));

        HandlerBench.isFailed(handle(command(0, "c1", "long")), 0, false);
    }

    @Test
    void idsThatAreNoneAreIgnored() {
        handle(command(0, "", "x"));
        handle(command(1, "n".repeat(256), "x"));
        handle(command(2, "\0", "x"));

        assertThat(answer("")).isEqualTo("none");
        assertThat(answer("n".repeat(256))).isEqualTo("none");
        assertThat(answer("\0")).isEqualTo("none");
        assertThat(bench.state("a")).hasSize(3);
    }

    /** Otherwise it could not even be parked, since that answers it, too. */
    @Test
    void anIdThatCanNotBeStoredBesideTheKeyIsNone() {
        String key = "k".repeat(2_500);
        for (int length : List.of(100, 101)) {
            byte[] id = "i".repeat(length).getBytes(StandardCharsets.UTF_8);
            Message message =
                    Records.message(
                            bench.epoch,
                            length,
                            key,
                            new byte[] {'x'},
                            new RecordHeaders().add(Reply.COMMAND, id));
            handle(Envelope.of(key, List.of(message)));
        }

        assertThat(bench.state(key)).isEqualTo("xx");
        assertThat(bench.database.answer(key, "i".repeat(100))).startsWith("applied");
        assertThat(bench.database.answer(key, "i".repeat(101))).isEqualTo("none");
    }

    @Test
    void answersCountTowardsWhatATurnMakes() {
        EffectLimits few = new EffectLimits(3, 100, 50, 4);
        handler = emitting(new PuttingOut(null, null, few, false));
        Message[] commands = new Message[10];
        for (int i = 0; i < commands.length; i++) {
            commands[i] = command(i, "c" + i, "?");
        }

        assertThat(handle(commands)).isEqualTo(new Outcome.Deferred(Dispositions.applied(4)));
    }
}
