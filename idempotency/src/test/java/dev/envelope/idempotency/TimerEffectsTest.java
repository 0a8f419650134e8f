package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.fold.EffectLimits;
import dev.envelope.idempotency.fold.Effects;
import dev.envelope.idempotency.fold.Effects.Fired;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.DeadLetterHeaders;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryTimerStore;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.timer.Firing;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Timers that a handler sets, as they are saved with the rows, fire, and come back. */
final class TimerEffectsTest {

    private static final EffectLimits LIMITS = new EffectLimits(3, 1_000, 50, 10_000);

    private final HandlerBench bench = new HandlerBench();
    private final EffectBench saves = new EffectBench(bench);
    private final InMemoryTimerStore timers = new InMemoryTimerStore(bench.database, life -> 0);
    private final PuttingOut parking = new PuttingOut(null, null, LIMITS, true);
    private boolean booms = true;
    private IdempotentHandler<StringBuilder> handler =
            handler(UserFold.emitting(this::apply), parking);

    /** The state is all that has happened; "+x" sets the timer x, "-x" cancels it. */
    private StringBuilder apply(
            @Nullable StringBuilder before, @Nullable String value, Effects effects) {
        StringBuilder state = before == null ? new StringBuilder() : before;
        Fired fired = effects.fired();
        if (fired != null) {
            String payload = new String(fired.payload(), StandardCharsets.UTF_8);
            if (fired.name().equals("again")) {
                set("again", effects);
            } else if (booms && fired.name().equals("boom")) {
                throw new IllegalStateException("boom");
            }
            return state.append('<').append(payload).append('>');
        }
        for (String word : String.valueOf(value).split(" ", -1)) {
            if (word.startsWith("+")) {
                set(word.substring(1), effects);
            } else if (word.startsWith("-")) {
                effects.cancel(word.substring(1));
            }
        }
        return state.append('.');
    }

    private static void set(String name, Effects effects) {
        String payload = name + effects.message().offset();
        Instant at = name.equals("later") ? Instant.EPOCH.plusSeconds(60) : Instant.EPOCH;
        effects.timer(name, at, payload.getBytes(StandardCharsets.UTF_8));
    }

    private IdempotentHandler<StringBuilder> handler(
            UserFold<StringBuilder, String> fold, PuttingOut out) {
        return saves.handler(fold, out, SetAsideLimits.none());
    }

    private @Nullable Outcome handle(Envelope envelope) {
        HandTurn turn = new HandTurn(envelope);
        handler.handle(turn);
        return turn.outcome(0);
    }

    private @Nullable Outcome handle(Message... messages) {
        return handle(Envelope.of("a", List.of(messages)));
    }

    private List<Output> fire() {
        return timers.fire(List.of(new TopicPartition("t", 0)), 10).firings();
    }

    /** A firing as it comes back as a message. */
    private Message arrived(Output firing, long offset) {
        return message(offset, firing.value(), firing.headers());
    }

    private Message message(long offset, byte @Nullable [] value, Headers headers) {
        return Records.message(bench.epoch, offset, "a", value, headers);
    }

    private Message forged(long offset, String name, String generation) {
        Headers headers =
                new RecordHeaders()
                        .add(Firing.NAME, name.getBytes(StandardCharsets.UTF_8))
                        .add(Firing.GENERATION, generation.getBytes(StandardCharsets.UTF_8));
        return message(offset, new byte[0], headers);
    }

    private static Throwable cause(@Nullable Outcome outcome) {
        return ((Outcome.Failed) Objects.requireNonNull(outcome)).cause();
    }

    @Test
    void aTimerThatHasFiredComesToTheHandlerOnceAndIsGone() {
        handle(bench.message(0, "a", "+it"));
        assertThat(bench.database.timers("a")).containsExactly("it");
        Output firing = fire().get(0);

        handle(arrived(firing, 1));
        handle(arrived(firing, 2), bench.message(3, "a", "x"));

        assertThat(bench.state("a")).isEqualTo(".<it0>.");
        assertThat(bench.database.timers("a")).isEmpty();
        assertThat(bench.counts.duplicates).isEqualTo(1);
    }

    @Test
    void aFiringOfATimerThatWasCancelledMeanwhileIsPassedBy() {
        handle(bench.message(0, "a", "+it"));
        Output firing = fire().get(0);
        handle(bench.message(1, "a", "-it"));

        handle(arrived(firing, 2));

        assertThat(bench.state("a")).isEqualTo("..");
    }

    @Test
    void ofATimerThatWasSetAgainOnlyTheNewFiringCounts() {
        handle(bench.message(0, "a", "+it"));
        Output former = fire().get(0);
        handle(bench.message(1, "a", "+it"));
        Output present = fire().get(0);

        handle(arrived(former, 2));
        handle(arrived(present, 3));

        assertThat(bench.state("a")).isEqualTo("..<it1>");
    }

    @Test
    void inOneEnvelopeWhatComesBeforeAFiringCounts() {
        handle(bench.message(0, "a", "+it +other"));
        List<Output> firings = fire();

        handle(
                bench.message(1, "a", "-it"),
                arrived(firings.get(0), 2),
                arrived(firings.get(1), 3),
                arrived(firings.get(1), 4));

        assertThat(bench.state("a")).isEqualTo("..<other0>");
        assertThat(bench.database.timers("a")).isEmpty();
    }

    @Test
    void aFiringThatNobodyHasMadeIsPassedBy() {
        handle(bench.message(0, "a", "+it +later"));

        handle(
                forged(1, "it", "1/0/0/2"),
                forged(2, "never\0", "1/0/0/1"),
                forged(3, "later", "1/0/0/2"), // it is not due yet
                forged(4, "it", "none"));

        assertThat(bench.state("a")).isEqualTo(".");
        assertThat(bench.database.timers("a")).containsExactlyInAnyOrder("it", "later");
    }

    /** The log has the place of the firing, and callers have seen what came behind it. */
    @Test
    void aFiringCountsInItsPlaceThoughTheDatabaseHasForgottenThatTheTimerHasFired() {
        handle(bench.message(0, "a", "+it"));
        Output firing = fire().get(0);

        TimerEffectsTest backThen = new TimerEffectsTest();
        backThen.handle(backThen.bench.message(0, "a", "+it"));
        backThen.handle(backThen.arrived(firing, 1), backThen.bench.message(2, "a", "x"));

        assertThat(backThen.bench.state("a")).isEqualTo(".<it0>.");
        assertThat(backThen.fire()).isEmpty();

        TimerEffectsTest empty = new TimerEffectsTest();
        Message again = empty.arrived(firing, 1);
        Message behind = empty.bench.message(2, "a", "x");
        assertThat(empty.handle(empty.bench.message(0, "a", "+it"), again, behind))
                .as("what it is judged by is saved first")
                .isEqualTo(new Outcome.Deferred(Dispositions.applied(1)));
        empty.handle(again, behind);
        assertThat(empty.bench.state("a")).isEqualTo(".<it0>.");
    }

    /** Its log has another number there. */
    @Test
    void aFiringCountsInRowsThatAreMadeAnewFromTheLog() {
        handle(bench.message(0, "a", "+it"));

        handle(forged(1, "it", "77/0/0/1"));

        assertThat(bench.state("a")).isEqualTo(".<>");
    }

    /** The former message has the offset that the new one has, and its firing came late. */
    @Test
    void aFiringOfATopicThatWasMadeAgainIsNotThatOfTheTimerWithTheSameOffsetThere() {
        TopicPartition partition = bench.epoch.partition();
        InMemoryCheckpoints checkpoints = new InMemoryCheckpoints(bench.database);
        NextOffset start = new NextOffset(0, NextOffset.NO_EPOCH);
        NewSource present = new NewSource(partition, Uuid.randomUuid(), start);
        NewSource former =
                new NewSource(partition, Uuid.randomUuid(), 0, start, 0, Set.of(present.topicId()));
        checkpoints.introduce(List.of(present));
        checkpoints.introduce(List.of(former));
        assertThat(bench.database.sources().get(0).number()).isEqualTo(bench.epoch.source());
        int number = bench.database.sources().get(1).number();
        handle(bench.message(0, "a", "+it"));

        handle(forged(1, "it", Firing.generation(number, 0, 0, 1)));

        assertThat(bench.state("a")).isEqualTo(".");
        assertThat(bench.database.timers("a")).containsExactly("it");
        handle(forged(2, "it", "77/0/0/1"));
        assertThat(bench.state("a")).as("of rows that are made anew").isEqualTo(".<>");
    }

    @Test
    void theHandlerMaySetATimerAgainThatHasJustFired() {
        handle(bench.message(0, "a", "+again"));
        handle(arrived(fire().get(0), 1));
        handle(arrived(fire().get(0), 2));

        assertThat(bench.state("a")).isEqualTo(".<again0><again1>");
        assertThat(bench.database.timers("a")).containsExactly("again");
    }

    @Test
    void aRunThatIsFoldedAgainSetsTheTimerOfTheSameGeneration() {
        bench.store.beforeSave(() -> bench.elsewhere("a", 0, "y"));

        handle(bench.message(0, "a", "y"), bench.message(1, "a", "+it"));
        handle(arrived(fire().get(0), 2));

        assertThat(bench.state("a")).isEqualTo("y.<it1>");
    }

    @Test
    void ifTheRowHasChangedMeanwhileAFiringIsJudgedAgain() {
        handle(bench.message(0, "a", "+it"));
        Output firing = fire().get(0);
        bench.store.beforeSave(
                () ->
                        handler(UserFold.emitting(this::apply), parking)
                                .handle(
                                        new HandTurn(
                                                Envelope.of(
                                                        "a",
                                                        List.of(bench.message(1, "a", "-it"))))));

        handle(arrived(firing, 2));

        assertThat(bench.state("a")).isEqualTo("..");
    }

    @Test
    void aHandlerThatKnowsNoTimersDoesNotSwallowAFiring() {
        handle(bench.message(0, "a", "+it"));
        Output firing = fire().get(0);
        handler = handler(UserFold.of((state, value, message) -> state), PuttingOut.NOTHING);

        Outcome outcome = handle(arrived(firing, 1));

        HandlerBench.isFailed(outcome, 0, false);
        assertThat(cause(outcome)).hasMessageContaining("knows no timers");
    }

    @Test
    void aFiringThatIsParkedKeepsItsTimer() {
        handle(bench.message(0, "a", "+boom"));
        Message firing = arrived(fire().get(0), 1);
        HandlerBench.isFailed(handle(firing), 0, true);

        handle(givenUp(firing));

        assertThat(bench.database.parked()).hasSize(1);
        assertThat(bench.database.timers("a")).containsExactly("boom");
    }

    @Test
    void aFiringThatBecameADeadLetterCountsIfSomebodySendsItAgain() {
        PuttingOut dead =
                new PuttingOut(
                        new DeadLetters("dead", "app", DeadLetterHeaders.STREAMS),
                        null,
                        LIMITS,
                        true);
        handler = handler(UserFold.emitting(this::apply), dead);
        handle(bench.message(0, "a", "+boom"));
        Output firing = fire().get(0);
        handle(givenUp(arrived(firing, 1)));
        assertThat(bench.database.outbox()).hasSize(1);
        assertThat(bench.database.timers("a")).containsExactly("boom");

        booms = false;
        handle(arrived(firing, 2));
        handle(arrived(firing, 3));

        assertThat(bench.state("a")).isEqualTo(".<boom0>");
        assertThat(bench.database.timers("a")).isEmpty();
    }

    private static Envelope givenUp(Message message) {
        GivenUp why = new GivenUp(3, new IllegalStateException("boom"));
        return new Envelope("a", List.of(message), null, null, why);
    }

    @Test
    void aFiringBehindAParkedMessageIsParkedBehindIt() {
        handle(bench.message(0, "a", "+it"));
        Message firing = arrived(fire().get(0), 2);
        handle(givenUp(bench.message(1, "a", "x")));

        handle(firing);

        assertThat(bench.database.parked()).hasSize(2);
        assertThat(bench.database.timers("a")).containsExactly("it");
    }

    @Test
    void withoutTheSettingAMessageThatSetsATimerFails() {
        handler =
                handler(UserFold.emitting(this::apply), new PuttingOut(null, null, LIMITS, false));

        Outcome outcome = handle(bench.message(0, "a", "+it"));

        HandlerBench.isFailed(outcome, 0, false);
        assertThat(cause(outcome)).hasMessageContaining("timers is false");
    }

    @Test
    void aMessageWithoutAKeyCannotSetATimer() {
        ConsumerRecord<byte @Nullable [], byte @Nullable []> record =
                Records.record(new TopicPartition("t", 0), 0, 0, null, "+it");

        Outcome outcome = handle(Message.of(bench.epoch, 0, "a", record));

        HandlerBench.isFailed(outcome, 0, false);
        assertThat(cause(outcome)).hasMessageContaining("a message without a key");
    }

    @Test
    void timersCountAsEffectsAndTheirNamesAndTimesAreChecked() {
        HandlerBench.isFailed(handle(bench.message(0, "a", "+1 +2 +3 -4")), 0, false);
        HandlerBench.isFailed(handle(bench.message(0, "a", "+")), 0, false);
        HandlerBench.isFailed(handle(bench.message(0, "a", "+" + "n".repeat(256))), 0, false);
        handler =
                handler(
                        UserFold.emitting(
                                (state, value, effects) -> {
                                    effects.timer("far", Instant.MAX);
                                    return state;
                                }),
                        parking);
        HandlerBench.isFailed(handle(bench.message(0, "a", "x")), 0, false);
    }
}
