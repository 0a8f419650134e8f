package dev.envelope.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import dev.envelope.idempotency.fold.Fold;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Folds as they should be pass, and each kind that should not be is found. */
class HandlerTestTest {

    record Add(long cents) {}

    record Sum(long cents, long count) {}

    private static final Fold<Sum, Add> SUM =
            (sum, add, message) ->
                    add == null
                            ? null
                            : new Sum(
                                    (sum == null ? 0 : sum.cents()) + add.cents(),
                                    (sum == null ? 0 : sum.count()) + 1);

    private static HandlerTest<Sum> test(Fold<Sum, Add> fold) {
        HandlerTest<Sum> test = HandlerTest.ofJson(fold, Sum.class, Add.class);
        for (int i = 0; i < 12; i++) {
            test.send("key-" + i % 3, "{\"cents\":" + i + "}");
        }
        return test;
    }

    @Test
    void aFoldOfItsArgumentsEndsWithTheSameRowsWhateverHappens() {
        assertThat(test(SUM).run())
                .isEqualTo(
                        new HandlerTest.Result(
                                Map.of(
                                        "key-0", "{\"cents\":18,\"count\":4}",
                                        "key-1", "{\"cents\":22,\"count\":4}",
                                        "key-2", "{\"cents\":26,\"count\":4}"),
                                Map.of()));
    }

    @Test
    void aDeletedKeyHasNoStateAndOneThatCameAgainHasANewOne() {
        HandlerTest.Result result =
                test(SUM).delete("key-0").delete("key-1").send("key-1", "{\"cents\":1}").run();

        assertThat(result.states())
                .containsOnlyKeys("key-1", "key-2")
                .containsEntry("key-1", "{\"cents\":1,\"count\":1}");
    }

    private static HandlerTest<Sum> emitting(EffectFold<Sum, Add> fold) {
        HandlerTest<Sum> test = HandlerTest.ofJsonWithEffects(fold, Sum.class, Add.class);
        for (int i = 0; i < 12; i++) {
            test.send("key-" + i % 3, "{\"cents\":" + i + "}");
        }
        return test;
    }

    private static @Nullable Sum sum(
            @Nullable Sum sum, @Nullable Add add, String topic, Effects effects) throws Exception {
        Sum next = SUM.apply(sum, add, effects.message());
        effects.emit(topic, effects.message().key(), String.valueOf(next));
        return next;
    }

    @Test
    void aHandlerThatGoesByItsArgumentsEmitsTheSameWhateverHappens() {
        HandlerTest.Result result =
                emitting((sum, add, effects) -> sum(sum, add, "sums", effects)).run();

        assertThat(result.emittedBy("key-0"))
                .extracting(HandlerTest.Emitted::toString)
                .containsExactly(
                        "sums key-0 Sum[cents=0, count=1]",
                        "sums key-0 Sum[cents=3, count=2]",
                        "sums key-0 Sum[cents=9, count=3]",
                        "sums key-0 Sum[cents=18, count=4]");
    }

    @Test
    void aHandlerThatSetsTimersByTheClockIsFound() {
        HandlerTest.Result result =
                emitting((sum, add, effects) -> reminding(sum, add, effects, Instant.EPOCH)).run();

        assertThat(result.timersOf("key-1"))
                .containsEntry("first", new HandlerTest.SetTimer(Instant.EPOCH, ""))
                .hasSize(1);
        assertThatThrownBy(
                        () ->
                                emitting(
                                                (sum, add, effects) ->
                                                        reminding(sum, add, effects, Instant.now()))
                                        .run())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the timers ended as");
    }

    @Test
    void aTimerFiresOnceAndOnlyIfItIsSet() {
        HandlerTest.Result result =
                emitting(
                                (sum, add, effects) -> {
                                    Effects.Fired fired = effects.fired();
                                    if (fired == null) {
                                        return reminding(sum, add, effects, Instant.EPOCH);
                                    }
                                    effects.emit("fired", "key-1", fired.name());
                                    return sum;
                                })
                        .fire("key-1", "first")
                        .send("key-1", "{\"cents\":100}")
                        .run();

        assertThat(result.emittedBy("key-1"))
                .extracting(HandlerTest.Emitted::toString)
                .containsExactly("fired key-1 first");
        assertThat(result.states()).containsEntry("key-1", "{\"cents\":122,\"count\":5}");
        assertThat(result.timersOf("key-1")).isEmpty();
        assertThatThrownBy(
                        () ->
                                emitting(
                                                (sum, add, effects) ->
                                                        reminding(sum, add, effects, Instant.EPOCH))
                                        .fire("key-1", "second")
                                        .run())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("key-1 has no timer second");
    }

    private static @Nullable Sum reminding(
            @Nullable Sum sum, @Nullable Add add, Effects effects, Instant at) throws Exception {
        if (sum == null) {
            effects.timer("first", at);
        }
        return SUM.apply(sum, add, effects.message());
    }

    @Test
    void aHandlerThatEmitsByWhatIsOutsideOfTheStateIsFound() {
        AtomicLong calls = new AtomicLong();

        assertThatThrownBy(
                        () ->
                                emitting(
                                                (sum, add, effects) ->
                                                        sum(
                                                                sum,
                                                                add,
                                                                "t" + calls.incrementAndGet(),
                                                                effects))
                                        .run())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("has emitted as its record 1")
                .hasMessageContaining("with seed");
    }

    @Test
    void aFoldThatKeepsSomethingOutsideOfTheStateIsFound() {
        AtomicLong outside = new AtomicLong();

        isFound((sum, add, message) -> new Sum(outside.addAndGet(1), 0));
    }

    @Test
    void aFoldThatAsksTheClockIsFound() {
        isFound((sum, add, message) -> new Sum(System.nanoTime(), 0));
    }

    @Test
    void aFoldThatGoesByAnotherKeyIsFound() {
        AtomicLong lastOfAnyKey = new AtomicLong();

        isFound((sum, add, message) -> new Sum(lastOfAnyKey.getAndSet(message.offset()), 0));
    }

    private static void isFound(Fold<Sum, Add> fold) {
        assertThatThrownBy(() -> test(fold).run())
                .isInstanceOf(AssertionError.class)
                .hasMessageMatching("(?s)with seed \\d+, key key-\\d ended as .*");
    }

    /** A state with a part that is not in its JSON. */
    static final class Forgetful {
        public long cents;
        @JsonIgnore public long count;
    }

    @Test
    void aPartOfTheStateThatItsJsonDoesNotBringBackIsFound() {
        Fold<Forgetful, Add> fold =
                (state, add, message) -> {
                    Forgetful next = state == null ? new Forgetful() : state;
                    next.count++;
                    next.cents += next.count;
                    return next;
                };
        HandlerTest<Forgetful> test = HandlerTest.ofJson(fold, Forgetful.class, Add.class);
        for (int i = 0; i < 6; i++) {
            test.send("key", "{\"cents\":1}");
        }

        assertThatThrownBy(test::run)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("key key ended as");
    }

    @Test
    void whatFailsForGoodIsSetAsideWithAllThatComesAfterItOfItsKey() {
        HandlerTest.Result result =
                test(SUM).send("key-0", "no JSON").send("key-0", "{\"cents\":1}").run();

        assertThat(result.parked()).containsOnlyKeys(12L, 13L);
        assertThat(result.parked().get(12L)).contains("undecodable");
        assertThat(result.states()).containsEntry("key-0", "{\"cents\":18,\"count\":4}");
    }

    @Test
    void aFoldThatThrowsAfterItHasChangedItsStateLeavesNoTrace() {
        Fold<Forgetful, Add> fold =
                (state, add, message) -> {
                    Forgetful next = state == null ? new Forgetful() : state;
                    next.cents += 1;
                    if (message.offset() == 3) {
                        throw new IllegalStateException("always");
                    }
                    return next;
                };
        HandlerTest<Forgetful> test = HandlerTest.ofJson(fold, Forgetful.class, Add.class);
        for (int i = 0; i < 6; i++) {
            test.send("key", "{\"cents\":1}");
        }

        HandlerTest.Result result = test.run();

        assertThat(result.states()).containsEntry("key", "{\"cents\":3}");
        assertThat(result.parked()).containsOnlyKeys(3L, 4L, 5L);
    }

    @Test
    void headersReachTheFold() {
        Fold<Sum, Add> fold =
                (sum, add, message) -> new Sum(message.header("kind") == null ? 0 : 7, 1);

        HandlerTest.Result result =
                HandlerTest.ofJson(fold, Sum.class, Add.class)
                        .send("key", "{\"cents\":1}", Map.of("kind", "gift"))
                        .run();

        assertThat(result.states()).containsEntry("key", "{\"cents\":7,\"count\":1}");
    }

    @Test
    void aSeedCanBeRunAlone() {
        AtomicLong outside = new AtomicLong();

        assertThatThrownBy(
                        () ->
                                test((sum, add, message) -> new Sum(outside.addAndGet(1), 0))
                                        .onlySeed(77)
                                        .run())
                .hasMessageStartingWith("with seed 77, ");
    }
}
