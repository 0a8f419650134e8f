package dev.envelope.idempotency.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.HandTurn;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.limit.FailingShares;
import dev.envelope.idempotency.work.WorkBatch.Item;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Values that begin with "bad" fail; with "partly", too, and the batch says so. */
final class WorkBatchTest {

    private final PartitionEpoch epoch = Records.epoch(1);
    private final List<String> calls = new ArrayList<>();
    private final List<String> aside = new ArrayList<>();

    private final WorkHandler<String> handler =
            new WorkHandler<>(
                    Calls.of(this::work, 4),
                    (bytes, message) -> decoded(new String(bytes, StandardCharsets.UTF_8)),
                    (message, givenUp) -> aside.add(message.toString()),
                    FailingShares.any(),
                    Telemetry.NONE);

    private static String decoded(String text) {
        if (text.equals("?")) {
            throw new MalformedException("no value");
        }
        return text;
    }

    private void work(List<Item<String>> batch) {
        calls.add(batch.stream().map(Item::value).collect(Collectors.joining(" ")));
        for (int at = 0; at < batch.size(); at++) {
            String value = String.valueOf(batch.get(at).value());
            if (value.startsWith("bad")) {
                throw new IllegalStateException("it is " + value);
            } else if (value.startsWith("partly")) {
                throw new PartlyDoneException(at, new NoRetryException("it is " + value));
            } else if (value.startsWith("away")) {
                throw new PartlyDoneException(at, new UnavailableException("the server is away"));
            } else if (value.startsWith("wrong")) {
                throw new PartlyDoneException(99, new IllegalStateException("it can't count"));
            }
        }
    }

    private Outcome handle(@Nullable Doing waited, @Nullable GivenUp givenUp, String... values) {
        List<Message> messages = new ArrayList<>();
        for (String value : values) {
            messages.add(Records.message(epoch, messages.size(), "k", value));
        }
        HandTurn turn = new HandTurn(new Envelope("k", messages, null, waited, givenUp));
        handler.handle(turn);
        assertThat(turn.userCodeAt()).isNull();
        return Objects.requireNonNull(turn.outcome(0));
    }

    private Outcome handle(String... values) {
        return handle(null, null, values);
    }

    @Test
    void aCallHasNoMoreMessagesThanItMay() {
        Outcome outcome = handle("a", "b", "c", "d", "e", "f");

        assertThat(calls).containsExactly("a b c d", "e f");
        assertThat(outcome).isInstanceOf(Outcome.Saved.class);
        assertThat(outcome.done().size()).isEqualTo(6);
    }

    @Test
    void afterAFailureEachIsCalledAloneUntilTheOneThatFails() {
        Outcome outcome = handle("a", "b", "bad", "d", "e");

        assertThat(calls).containsExactly("a b bad d", "a", "b", "bad");
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Failed.class, it -> assertThat(it.cause()).hasMessage("it is bad"));
        assertThat(outcome.done().size()).isEqualTo(2);
    }

    /** The batch may have failed for a reason that is over, or because it was too long. */
    @Test
    void whereEachSucceedsAloneTheNextAreTogetherAgain() {
        boolean[] hasFailed = {false};
        WorkHandler<String> once =
                new WorkHandler<>(
                        Calls.of(
                                batch -> {
                                    calls.add(Integer.toString(batch.size()));
                                    if (!hasFailed[0]) {
                                        hasFailed[0] = true;
                                        throw new IllegalStateException("once");
                                    }
                                },
                                2),
                        (bytes, message) -> "",
                        WorkHandler.SettingAside.NEVER,
                        FailingShares.any(),
                        Telemetry.NONE);
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            messages.add(Records.message(epoch, i, "k", "v"));
        }
        HandTurn turn = new HandTurn(Envelope.of("k", messages));

        once.handle(turn);

        assertThat(calls).containsExactly("2", "1", "1", "2");
        assertThat(turn.outcome(0)).isInstanceOf(Outcome.Saved.class);
    }

    /** Otherwise those behind it would be done again with each of its attempts. */
    @Test
    void aMessageThatIsTriedAgainIsCalledAlone() {
        Outcome outcome = handle(Doing.RETRYING, null, "bad", "b", "c");

        assertThat(calls).containsExactly("bad");
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);

        calls.clear();
        handle(Doing.RETRYING, null, "mended", "b", "c");
        assertThat(calls).containsExactly("mended", "b c");
    }

    @Test
    void aBatchMaySayWhichMessageHasFailed() {
        Outcome outcome = handle("a", "partly", "c");

        assertThat(calls).containsExactly("a partly c");
        assertThat(outcome.done().size()).isOne();
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        it -> {
                            assertThat(it.cause()).isInstanceOf(NoRetryException.class);
                            assertThat(it.retryable()).isFalse();
                        });
    }

    @Test
    void aBatchMaySayFromWhichMessageOnItHasToWait() {
        Outcome outcome = handle("a", "b", "away");

        assertThat(outcome).isInstanceOf(Outcome.Waiting.class);
        assertThat(outcome.done().size()).isEqualTo(2);
    }

    /** Nothing may count as done that was not. */
    @Test
    void aBatchThatSaysTooMuchHasSaidNothing() {
        Outcome outcome = handle("a", "wrong", "c");

        assertThat(calls).containsExactly("a wrong c", "a", "wrong");
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        assertThat(outcome.done().size()).isOne();
    }

    @Test
    void whatCanNotBeDecodedEndsABatchAndFailsAlone() {
        Outcome outcome = handle("a", "b", "?", "d");

        assertThat(calls).containsExactly("a b");
        assertThat(outcome.done().size()).isEqualTo(2);
        assertThat(((Outcome.Failed) outcome).retryable()).isFalse();
    }

    @Test
    void whatIsGivenUpIsSetAsideAndTheOthersAreTogether() {
        GivenUp givenUp = new GivenUp(3, new IllegalStateException("it is bad"));

        Outcome outcome = handle(Doing.RETRYING, givenUp, "bad", "b", "c");

        assertThat(aside).containsExactly("t-0@0");
        assertThat(calls).containsExactly("b c");
        assertThat(outcome.done().size()).isEqualTo(3);
    }

    /** With the next turn it would be called as a batch again, and those before it once more. */
    @Test
    void whatFailsTogetherIsCalledAloneEvenIfTheTurnsTimeIsUp() {
        List<Message> messages = new ArrayList<>();
        for (String value : List.of("a", "b", "bad", "d", "e")) {
            messages.add(Records.message(epoch, messages.size(), "k", value));
        }
        HandTurn turn = new HandTurn(Envelope.of("k", messages)).withTimeUp();

        handler.handle(turn);

        assertThat(calls).containsExactly("a b bad d", "a", "b", "bad");
        assertThat(turn.outcome(0)).isInstanceOf(Outcome.Failed.class);
    }

    @Test
    void afterThatTheRestWaitsForItsTurn() {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            messages.add(Records.message(epoch, i, "k", "v" + i));
        }
        HandTurn turn = new HandTurn(Envelope.of("k", messages)).withTimeUp();

        handler.handle(turn);

        assertThat(calls).containsExactly("v0 v1 v2 v3");
        assertThat(turn.outcome(0))
                .isInstanceOfSatisfying(
                        Outcome.Deferred.class, it -> assertThat(it.done().size()).isEqualTo(4));
    }

    @Test
    void aPartitionThatIsGoneIsNotWorkedOn() {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            messages.add(Records.message(epoch, i, "k", "v" + i));
        }
        WorkHandler<String> ending =
                new WorkHandler<>(
                        Calls.of(
                                batch -> {
                                    calls.add(Integer.toString(batch.size()));
                                    epoch.end();
                                    throw new IllegalStateException("too late");
                                },
                                4),
                        (bytes, message) -> "",
                        WorkHandler.SettingAside.NEVER,
                        FailingShares.any(),
                        Telemetry.NONE);
        HandTurn turn = new HandTurn(Envelope.of("k", messages));

        ending.handle(turn);

        assertThat(calls).containsExactly("4");
        assertThat(turn.outcome(0)).isInstanceOf(Outcome.Deferred.class);
    }
}
