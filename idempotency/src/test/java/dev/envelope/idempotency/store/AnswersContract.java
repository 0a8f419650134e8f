package dev.envelope.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every store of rows does with the answers to commands. */
public abstract class AnswersContract {

    private static final int SOURCE = 4;

    private StoreFixture fixture;
    private StateStore states;
    private Incarnation now;

    protected abstract StoreFixture open();

    /** Result and offset of the answer to a command of the key k; null if there is none. */
    protected abstract @Nullable String answer(StoreFixture in, String command);

    @BeforeEach
    void begin() {
        fixture = open();
        states = fixture.states();
        now = fixture.checkpoints().incarnation();
    }

    @AfterEach
    void end() {
        fixture.close();
    }

    private static Reply reply(String command, long offset, Result result) {
        return new Reply(
                Messages.parked(SOURCE, offset, "any").message(),
                command,
                result,
                result.isApplied() ? null : "no stock",
                null);
    }

    private boolean[] save(String key, long fromVersion, Reply... replies) {
        HandlerEffects effects = new HandlerEffects(List.of(), List.of(), Arrays.asList(replies));
        return states.save(List.of(Messages.change(key, fromVersion, effects)), Patience.WAIT, now);
    }

    private Map<CommandId, Reply.At> applied(Incarnation life, CommandId... commands) {
        return states.appliedCommands(List.of(commands), life);
    }

    @Test
    void thoseCommandsAreAppliedWhoseAnswerSaysSo() {
        save(
                "k",
                0,
                reply("a", 1, Result.APPLIED),
                reply("b", 2, Result.DUPLICATE),
                reply("c", 3, Result.PARKED),
                reply("d", 4, Result.PUT_OUT));
        save("other", 0, reply("e", 5, Result.APPLIED));

        assertThat(
                        applied(
                                now,
                                new CommandId("k", "a"),
                                new CommandId("k", "b"),
                                new CommandId("k", "c"),
                                new CommandId("k", "d"),
                                new CommandId("k", "e"),
                                new CommandId("other", "a"),
                                new CommandId("other", "e")))
                .isEqualTo(
                        Map.of(
                                new CommandId("k", "a"),
                                new Reply.At(SOURCE, 1),
                                new CommandId("k", "b"),
                                new Reply.At(SOURCE, 2),
                                new CommandId("other", "e"),
                                new Reply.At(SOURCE, 5)));
        assertThat(applied(now, new CommandId("k", "x"))).isEmpty();
    }

    @Test
    void theyAreNotReadInAnotherIncarnation() {
        save("k", 0, reply("a", 1, Result.APPLIED));

        for (String command : List.of("a", "none")) {
            assertThatThrownBy(() -> applied(new Incarnation("other"), new CommandId("k", command)))
                    .isInstanceOf(OtherIncarnationException.class);
        }
    }

    /**
     * What was parked may be put out or applied later; what was put out may be sent again. What is
     * applied was not in the row, whatever an answer to a former row says.
     */
    @ParameterizedTest
    @CsvSource({
        "PARKED,    PARKED,    PARKED 1",
        "PARKED,    PUT_OUT,   PUT_OUT 2",
        "PARKED,    APPLIED,   APPLIED 2",
        "PARKED,    DUPLICATE, DUPLICATE 2",
        "PUT_OUT,   PARKED,    PUT_OUT 1",
        "PUT_OUT,   PUT_OUT,   PUT_OUT 1",
        "PUT_OUT,   APPLIED,   APPLIED 2",
        "PUT_OUT,   DUPLICATE, DUPLICATE 2",
        "APPLIED,   PARKED,    APPLIED 1",
        "APPLIED,   PUT_OUT,   APPLIED 1",
        "APPLIED,   APPLIED,   APPLIED 2",
        "APPLIED,   DUPLICATE, APPLIED 1",
        "DUPLICATE, PARKED,    DUPLICATE 1",
        "DUPLICATE, PUT_OUT,   DUPLICATE 1",
        "DUPLICATE, APPLIED,   APPLIED 2",
        "DUPLICATE, DUPLICATE, DUPLICATE 1"
    })
    void theFirstAnswerStaysUnlessALaterOneSaysMoreOrThatItWasApplied(
            Result first, Result second, String stays) {
        save("k", 0, reply("a", 1, first));
        save("k", 1, reply("a", 2, second));

        assertThat(answer(fixture, "a")).isEqualTo(stays);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PARKED", "PUT_OUT"})
    void aRedriveThatAppliesTheCommandReplacesItsAnswer(Result before) {
        save("k", 0, reply("a", 1, before));
        Snapshot row = Objects.requireNonNull(states.load(List.of("k"), now).get("k"));
        HandlerEffects effects =
                new HandlerEffects(List.of(), List.of(), List.of(reply("a", 1, Result.APPLIED)));

        assertThat(fixture.redrives(fixture.start("one"), row.unparked(0), List.of(), effects))
                .isTrue();

        assertThat(answer(fixture, "a")).isEqualTo("APPLIED 1");
    }

    @Test
    void aSaveThatDoesNotWinAnswersNothing() {
        save("k", 0, reply("a", 1, Result.PARKED));

        assertThat(save("k", 0, reply("a", 2, Result.APPLIED), reply("b", 3, Result.APPLIED)))
                .containsExactly(false);

        assertThat(answer(fixture, "a")).isEqualTo("PARKED 1");
        assertThat(answer(fixture, "b")).isNull();
    }
}
