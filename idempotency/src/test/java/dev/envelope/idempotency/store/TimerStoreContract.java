package dev.envelope.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.output.OutputStore.Item;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.Firing;
import dev.envelope.idempotency.store.timer.Timer;
import dev.envelope.idempotency.store.timer.TimerId;
import dev.envelope.idempotency.store.timer.TimerStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store does with timers. */
public abstract class TimerStoreContract {

    private static final List<TopicPartition> OWNED = List.of(new TopicPartition("orders", 0));
    private static final List<TopicPartition> OTHERS = List.of(new TopicPartition("orders", 1));

    private final Instant past = Instant.now().minusSeconds(60);
    private final Instant future = Instant.now().plusSeconds(3_600);
    private OutputBench bench;
    private OutputBench.Sender one;

    protected abstract StoreFixture open();

    @BeforeEach
    void begin() {
        bench = new OutputBench(open());
        one = bench.new Sender("one");
    }

    @AfterEach
    void end() {
        bench.close();
    }

    private Timer set(String name, long offset, Instant at) {
        return set(name, offset, at, ("for " + name).getBytes(StandardCharsets.UTF_8));
    }

    private Timer set(String name, long offset, Instant at, byte[] payload) {
        return Timer.set(
                name, Messages.parked(bench.source, offset, "any").message(), 2, at, payload);
    }

    private static Change change(String key, long fromVersion, Timer... timers) {
        return Messages.change(
                key, fromVersion, new HandlerEffects(List.of(), Arrays.asList(timers), List.of()));
    }

    private boolean[] save(Change... changes) {
        return one.process.states().save(List.of(changes), Patience.WAIT, bench.now);
    }

    private TimerStore.Look fire(int most) {
        return one.process.timers().fire(OWNED, most);
    }

    private List<String> firings() {
        return fire(10).firings().stream().map(TimerStoreContract::said).toList();
    }

    private static String said(Output firing) {
        return new String(firing.value(), StandardCharsets.UTF_8);
    }

    private Map<String, Map<String, DueTimer>> due(String... keys) {
        List<TimerId> timers =
                Stream.of(keys)
                        .flatMap(
                                key ->
                                        Stream.of("late", "it", "later", "ends")
                                                .map(name -> new TimerId(key, name)))
                        .toList();
        return one.process.states().dueTimers(timers, bench.now);
    }

    private String generation(long offset) {
        return Firing.generation(bench.source, offset, 5, 2);
    }

    /** That timer of a topic that was never made again. */
    private DueTimer timer(long offset) {
        return new DueTimer(generation(offset), Set.of());
    }

    @Test
    void aTimerFiresOnceAsAnOutputToTheTopicOfTheMessageThatHasSetIt() {
        save(change("a", 0, set("late", 7, past)));

        assertThat(firings()).containsExactly("for late");
        assertThat(firings()).isEmpty();

        assertThat(due("a", "b")).isEqualTo(Map.of("a", Map.of("late", timer(7))));
        Item firing = one.rows().get(0).items().get(0);
        assertThat(firing.topic()).isEqualTo("orders");
        assertThat(firing.origin().partition()).isZero();
        assertThat(firing.origin().offset()).isEqualTo(7);
        assertThat(firing.lane()).isEqualTo(Output.lane("a", "orders"));
        assertThat(new String(firing.value(), StandardCharsets.UTF_8)).isEqualTo("for late");
        assertThat(firing.headers().lastHeader(Firing.NAME).value())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("late");
        assertThat(firing.headers().lastHeader(Firing.GENERATION).value())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(generation(7));
    }

    /** Firings of the former topic go to the new one, where others have the same offsets. */
    @Test
    void aTimerSaysWhichSourcesAreOfAnotherTopicOfTheSameName() {
        save(change("a", 0, set("late", 7, past)));
        TopicPartition same = OWNED.get(0);
        NextOffset start = new NextOffset(0, 0);
        NewSource neighbour = new NewSource(OTHERS.get(0), Uuid.randomUuid(), start);
        NewSource again =
                new NewSource(same, Uuid.randomUuid(), 0, start, 0, Set.of(OutputBench.TOPIC));
        bench.fixture.checkpoints().introduce(List.of(neighbour));
        bench.fixture.checkpoints().introduce(List.of(again));
        Integer number =
                bench.fixture.checkpoints().read(Set.of("orders")).sources().stream()
                        .filter(it -> it.topicId().equals(again.topicId()))
                        .map(Source::number)
                        .findFirst()
                        .orElseThrow();

        assertThat(due("a").get("a"))
                .isEqualTo(Map.of("late", new DueTimer(generation(7), Set.of(number))));
    }

    /** Of a life that the database has forgotten. */
    @Test
    void aTimerThatIsDueCountsAsOneThatHasFiredAndOneThatIsNotDoesNot() {
        save(change("a", 0, set("late", 7, past), set("later", 7, future)));

        assertThat(due("a")).isEqualTo(Map.of("a", Map.of("late", timer(7))));
        assertThat(one.process.states().dueTimers(List.of(new TimerId("a", "x")), bench.now))
                .as("only those that are asked for")
                .isEmpty();
    }

    @Test
    void aTimerDoesNotFireEarly() {
        save(change("a", 0, set("later", 7, future)));

        TimerStore.Look look = fire(10);

        assertThat(look.firings()).isEmpty();
        assertThat(look.next()).isBetween(Duration.ofMinutes(50), Duration.ofMinutes(61));
        assertThat(one.rows()).isEmpty();
    }

    @Test
    void aTimerFiresWhenItIsDueAndNotBefore() {
        Instant at = Instant.now().plusMillis(50).plusNanos(1);
        save(change("a", 0, set("soon", 7, at)));

        List<String> fired = List.of();
        while (fired.isEmpty()) {
            fired = firings();
        }
        assertThat(Instant.now()).isAfterOrEqualTo(at);
    }

    @Test
    void aSaveThatDoesNotWinSetsNothing() {
        save(change("a", 0, set("late", 7, past)));

        boolean[] saved = save(change("a", 0, set("lost", 8, past)), change("b", 0));

        assertThat(saved).containsExactly(false, true);
        assertThat(firings()).containsExactly("for late");
    }

    @Test
    void aTimerThatIsSetAgainFiresOnlyAsItIsNow() {
        save(change("a", 0, set("it", 7, past), set("other", 7, past)));
        save(change("a", 1, set("it", 8, future)));

        assertThat(firings()).containsExactly("for other");

        save(change("a", 2, set("it", 9, past)));
        assertThat(firings()).containsExactly("for it");
        assertThat(due("a").get("a")).containsEntry("it", timer(9));
    }

    @Test
    void aTimerThatHasFiredIsSetAgainAndFiresAgain() {
        save(change("a", 0, set("it", 7, past)));
        assertThat(firings()).hasSize(1);

        save(change("a", 1, set("it", 8, past)));

        assertThat(due("a").get("a")).containsEntry("it", timer(8));
        assertThat(firings()).hasSize(1);
        assertThat(due("a").get("a")).containsEntry("it", timer(8));
    }

    @Test
    void aTimerThatEndsDoesNotFireAnyMore() {
        save(change("a", 0, set("it", 7, past)), change("b", 0, set("it", 7, past)));

        save(change("a", 1, Timer.ended("it"), Timer.ended("never set")));
        assertThat(save(change("b", 0, Timer.ended("it")))).containsExactly(false);

        assertThat(fire(10).firings()).extracting(it -> it.origin().key()).hasSize(1);
        assertThat(due("a", "b")).containsOnlyKeys("b");
        save(change("b", 1, Timer.ended("it")));
        assertThat(due("a", "b")).isEmpty();
    }

    @Test
    void ofLargeOnesSomeFireAtATimeAndTheFirstAlways() {
        byte[] large = new byte[(int) (TimerStore.BYTES_AT_ONCE * 2 / 5)];
        save(
                change(
                        "a",
                        0,
                        set("0", 7, past, new byte[(int) TimerStore.BYTES_AT_ONCE + 1]),
                        set("1", 7, past.plusSeconds(1), large),
                        set("2", 7, past.plusSeconds(2), large),
                        set("3", 7, past.plusSeconds(3), large)));

        assertThat(fire(10).firings()).hasSize(1);
        TimerStore.Look next = fire(10);
        assertThat(next.firings()).hasSize(2);
        assertThat(next.next()).isNegative();
        assertThat(fire(10).firings()).hasSize(1);
    }

    @Test
    void onlyTimersOfOwnPartitionsFire() {
        save(change("a", 0, set("it", 7, past)));

        assertThat(one.process.timers().fire(OTHERS, 10).firings()).isEmpty();
        assertThat(one.process.timers().fire(OTHERS, 10).next()).isNull();
        assertThat(one.process.timers().fire(List.of(), 10).firings()).isEmpty();
        assertThat(firings()).hasSize(1);
    }

    @Test
    void ofManyTheOldestFireFirstAndTheRestIsOverdue() {
        save(
                change("a", 0, set("3", 7, past.plusSeconds(3)), set("1", 7, past.plusSeconds(1))),
                change("b", 0, set("2", 7, past.plusSeconds(2)), set("4", 7, future)));

        TimerStore.Look first = fire(2);
        TimerStore.Look second = fire(2);

        assertThat(first.firings())
                .extracting(TimerStoreContract::said)
                .containsExactly("for 1", "for 2");
        assertThat(first.next()).isNegative();
        assertThat(second.firings()).extracting(TimerStoreContract::said).containsExactly("for 3");
        assertThat(second.next()).isPositive();
        assertThat(one.values()).containsExactly("for 1", "for 2", "for 3");
    }

    @Test
    void redrivenMessagesSetAndEndTimers() {
        save(change("a", 0, set("ends", 7, past)));
        Snapshot row =
                Objects.requireNonNull(one.process.states().load(List.of("a"), bench.now).get("a"));
        HandlerEffects effects =
                new HandlerEffects(
                        List.of(), List.of(Timer.ended("ends"), set("it", 8, past)), List.of());

        Snapshot stale = row.unparked(0).unparked(0);
        assertThat(bench.fixture.redrives(one.process, stale, List.of(), effects)).isFalse();
        assertThat(due("a").get("a")).containsOnlyKeys("ends");
        assertThat(bench.fixture.redrives(one.process, row.unparked(0), List.of(), effects))
                .isTrue();

        assertThat(firings()).containsExactly("for it");
    }

    @Test
    void manyAtOnce() {
        save(
                Stream.iterate(0, i -> i + 1)
                        .limit(1_000)
                        .map(i -> change("key " + i, 0, set("it", i, past)))
                        .toArray(Change[]::new));

        assertThat(fire(600).firings()).hasSize(600);
        assertThat(fire(600).firings()).hasSize(400);
        assertThat(fire(600).next()).isNull();
        assertThat(one.values()).hasSize(1_000);
    }
}
