package dev.envelope.idempotency.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.HandlerTimeoutException;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.OverRateException;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Disposition;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.HandTurn;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.limit.FailingShares;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class WorkHandlerTest {

    private final PartitionEpoch epoch = Records.epoch(1);
    private final List<String> worked = new ArrayList<>();
    private final List<String> aside = new ArrayList<>();
    private final Set<String> bad = new HashSet<>(Set.of("bad"));
    private boolean isAsideAway;

    private final WorkHandler<String> handler =
            new WorkHandler<>(
                    Calls.of(this::work),
                    (bytes, message) -> decoded(new String(bytes, StandardCharsets.UTF_8)),
                    (message, givenUp) -> {
                        if (isAsideAway) {
                            throw new UnavailableException("no broker");
                        }
                        aside.add(message + (givenUp == null ? " refused" : " given up"));
                    },
                    new FailingShares(50, 3),
                    Telemetry.NONE);

    private void work(@Nullable String value, Message message) {
        worked.add(String.valueOf(value));
        if (value != null && bad.contains(value)) {
            throw new IllegalStateException("it is " + value);
        }
    }

    private static WorkHandler<String> stoppingWith(Work<String> work, ValueFormat<String> format) {
        return new WorkHandler<>(
                Calls.of(work),
                format,
                WorkHandler.SettingAside.NEVER,
                FailingShares.any(),
                Telemetry.NONE);
    }

    private static String decoded(String text) {
        if (text.equals("?")) {
            throw new MalformedException("no value");
        }
        return text;
    }

    private Envelope envelope(@Nullable GivenUp givenUp, String... values) {
        List<Message> messages = new ArrayList<>();
        for (String value : values) {
            messages.add(Records.message(epoch, messages.size(), "k", value));
        }
        return new Envelope("k", messages, null, null, givenUp);
    }

    private Outcome handle(Envelope envelope) {
        HandTurn turn = new HandTurn(envelope);
        handler.handle(turn);
        return Objects.requireNonNull(turn.outcome(0));
    }

    @Test
    void handlesTheMessagesOfAKeyInTheirOrder() {
        Outcome outcome = handle(envelope(null, "a", "b", "c"));

        assertThat(worked).containsExactly("a", "b", "c");
        assertThat(outcome).isInstanceOf(Outcome.Saved.class);
        assertThat(outcome.done().count(Disposition.APPLIED)).isEqualTo(3);
    }

    @Test
    void whatWasHandledBeforeAFailureIsDone() {
        Outcome outcome = handle(envelope(null, "a", "bad", "c"));

        assertThat(worked).containsExactly("a", "bad");
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        assertThat(outcome.done().size()).isEqualTo(1);
        assertThat(((Outcome.Failed) outcome).retryable()).isTrue();
    }

    @Test
    void whatCanNotBeDecodedIsNotTriedAgain() {
        Outcome outcome = handle(envelope(null, "?"));

        assertThat(worked).isEmpty();
        assertThat(((Outcome.Failed) outcome).retryable()).isFalse();
    }

    @Test
    void whatIsGivenUpIsSetAsideAndTheOthersGoOn() {
        GivenUp givenUp = new GivenUp(3, new IllegalStateException("it is bad"));

        Outcome outcome = handle(envelope(givenUp, "bad", "b"));

        assertThat(worked).containsExactly("b");
        assertThat(aside).containsExactly("t-0@0 given up");
        assertThat(outcome.done().of(0)).isEqualTo(Disposition.PUT_OUT);
        assertThat(outcome.done().of(1)).isEqualTo(Disposition.APPLIED);
    }

    @Test
    void whatCanNotBeSetAsideNowWaits() {
        isAsideAway = true;

        Outcome outcome = handle(envelope(new GivenUp(3, new IllegalStateException()), "bad", "b"));

        assertThat(worked).isEmpty();
        assertThat(outcome).isInstanceOf(Outcome.Waiting.class);
        assertThat(outcome.done().size()).isZero();
    }

    @Test
    void whatTakesTooLongHasFailed() {
        HandTurn turn = new HandTurn(envelope(null, "a", "b")).tooSlowAt(1L);

        handler.handle(turn);

        Outcome outcome = Objects.requireNonNull(turn.outcome(0));
        assertThat(outcome.done().size()).isEqualTo(1);
        assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(HandlerTimeoutException.class);
    }

    /** The guard has to know that user code is over, or it would interrupt what comes next. */
    @Test
    void anErrorIsAFailedAttemptToo() {
        WorkHandler<String> broken =
                stoppingWith(
                        (value, message) -> {
                            throw new AssertionError("no");
                        },
                        (bytes, message) -> "");
        HandTurn turn = new HandTurn(envelope(null, "a"));

        broken.handle(turn);

        assertThat(turn.outcome(0))
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        it -> assertThat(it.cause()).isInstanceOf(AssertionError.class));
        assertThat(turn.userCodeAt()).isNull();
    }

    @Test
    void theOutcomeOfWorkThatOutlastedItsTurnIsNotLost() {
        Envelope first = envelope(null, "a");
        Outcome before = Outcome.applied(first);
        Envelope again = new Envelope("k", first.messages(), before, null, null);

        assertThat(handle(again)).isSameAs(before);
        assertThat(worked).isEmpty();
    }

    @Test
    void aTombstoneIsWorkWithoutAValue() {
        Message tombstone = Records.message(epoch, 0, "k", (String) null);

        Outcome outcome = handle(Envelope.of("k", List.of(tombstone)));

        assertThat(worked).containsExactly("null");
        assertThat(outcome.done().size()).isEqualTo(1);
    }

    @Test
    void anOutageThatWorkReportsIsNoFailedAttempt() {
        WorkHandler<String> waiting =
                stoppingWith(
                        (value, message) -> {
                            throw new UnavailableException("the mail server is away");
                        },
                        (bytes, message) -> "");
        HandTurn turn = new HandTurn(envelope(null, "a"));

        waiting.handle(turn);

        assertThat(turn.outcome(0))
                .isInstanceOfSatisfying(
                        Outcome.Waiting.class,
                        it -> assertThat(it.why()).isEqualTo(Doing.DECODER_OUT));
        assertThat(Stream.of(Doing.DECODER_OUT)).allMatch(Doing.WAITS::contains);
    }

    @Test
    void aCallThatIsOverItsRateWaitsWithTheMessagesBehindItAndThoseBeforeAreDone() {
        OverRateException over = new OverRateException("10 a second", Duration.ofMillis(30));
        WorkHandler<String> limited =
                stoppingWith(
                        (value, message) -> {
                            if (message.offset() == 1) {
                                throw over;
                            }
                        },
                        (bytes, message) -> "");
        HandTurn turn = new HandTurn(envelope(null, "a", "b", "c"));

        limited.handle(turn);

        assertThat(turn.outcome(0))
                .isEqualTo(
                        new Outcome.Waiting(Dispositions.applied(1), Doing.CALLS_OVER_RATE, over));
    }

    @Test
    void aBatchThatIsOverItsRateIsCalledOneByOneAndGoesOnAsFarAsItMay() {
        List<Long> called = new ArrayList<>();
        WorkBatch<String> limited =
                batch -> {
                    for (WorkBatch.Item<String> item : batch) {
                        if (item.message().offset() == 2) {
                            throw new OverRateException("10 a second", Duration.ofMillis(30));
                        }
                        called.add(item.message().offset());
                    }
                };
        WorkHandler<String> handler =
                new WorkHandler<>(
                        Calls.of(limited, 10),
                        (bytes, message) -> "",
                        WorkHandler.SettingAside.NEVER,
                        new FailingShares(50, 100),
                        Telemetry.NONE);
        HandTurn turn = new HandTurn(envelope(null, "a", "b", "c"));

        handler.handle(turn);

        assertThat(turn.outcome(0))
                .isInstanceOfSatisfying(
                        Outcome.Waiting.class,
                        it -> assertThat(it.done()).isEqualTo(Dispositions.applied(2)));
        assertThat(called).containsExactly(0L, 1L, 0L, 1L);
    }

    @Test
    void whatNoAttemptCanHelpIsNotTriedAgain() {
        WorkHandler<String> hopeless =
                stoppingWith(
                        (value, message) -> {
                            throw new NoRetryException("gone", new IllegalStateException());
                        },
                        (bytes, message) -> "");
        HandTurn turn = new HandTurn(envelope(null, "a"));

        hopeless.handle(turn);

        assertThat(((Outcome.Failed) Objects.requireNonNull(turn.outcome(0))).retryable())
                .isFalse();
    }

    /** The process ends then, at the message that its guard names. */
    @Test
    void memoryThatHasRunOutIsNoFailedAttempt() {
        WorkHandler<String> large =
                stoppingWith(
                        (value, message) -> {
                            throw new OutOfMemoryError("Java heap space");
                        },
                        (bytes, message) -> "");
        HandTurn turn = new HandTurn(envelope(null, "a"));

        assertThatThrownBy(() -> large.handle(turn)).isInstanceOf(OutOfMemoryError.class);
        assertThat(turn.outcome(0)).isNull();
        assertThat(turn.userCodeAt()).isNotNull();
    }

    @Test
    void aDecoderThatIsOutWaits() {
        WorkHandler<String> away =
                stoppingWith(
                        (value, message) -> worked.add(value),
                        (bytes, message) -> {
                            throw new UnavailableException("the registry is away");
                        });
        HandTurn turn = new HandTurn(envelope(null, "a"));

        away.handle(turn);

        assertThat(turn.outcome(0)).isInstanceOf(Outcome.Waiting.class);
        assertThat(worked).isEmpty();
    }

    @Test
    void withoutTimeLeftTheRestOfAnEnvelopeIsPutOff() {
        HandTurn turn = new HandTurn(envelope(null, "a", "b", "c")).withTimeUp();

        handler.handle(turn);

        assertThat(worked).containsExactly("a");
        assertThat(turn.outcome(0))
                .isInstanceOfSatisfying(
                        Outcome.Deferred.class, it -> assertThat(it.done().size()).isOne());
    }

    /** Each of them is a round trip to the dead letters. */
    @Test
    void ofRefusedMessagesTooTheRestIsPutOffAndLeftToWhoeverHasThePartition() {
        List<Message> refused = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            refused.add(Records.withoutRow(epoch, i, "no-key: none"));
        }
        HandTurn turn = new HandTurn(new Envelope("k", refused, null, null, null)).withTimeUp();
        handler.handle(turn);
        assertThat(aside).hasSize(1);

        epoch.end();
        handle(new Envelope("k", refused, null, null, null));
        assertThat(aside).hasSize(1);
    }

    private Outcome giveUp(String value) {
        return handle(envelope(new GivenUp(3, new IllegalStateException("it answers 500")), value));
    }

    /** Whoever is called may be wrong about everything: that must not empty the topic. */
    @Test
    void moreDeadLettersThanTheirShareStopThePartition() {
        giveUp("a");
        giveUp("b");
        giveUp("c");

        Outcome outcome = giveUp("d");

        assertThat(aside).hasSize(3);
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        it -> {
                            assertThat(it.retryable()).isFalse();
                            assertThat(it.cause())
                                    .hasMessageContaining("3 of the last 3 messages")
                                    .hasMessageContaining("it answers 500");
                        });
    }

    @Test
    void deadLettersAmongManyOthersStopNothing() {
        for (int i = 0; i < 5; i++) {
            giveUp("a");
            handle(envelope(null, "b", "c"));
        }

        assertThat(aside).hasSize(5);
    }
}
