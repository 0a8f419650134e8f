package dev.envelope.idempotency.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.timer.Timer;
import dev.envelope.idempotency.store.timer.TimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TimersTest {

    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    private static final Instant START = Instant.parse("2026-11-25T12:00:00Z");

    private int wakes;
    private final List<Integer> looks = new ArrayList<>();
    private final List<TopicPartition> owned = new ArrayList<>(List.of(ORDERS));
    private final OutputRoom room =
            new OutputRoom(new OutputRoom.Limits(10_000, 1 << 20), () -> this.wakes++);
    private TimerStore store = (partitions, most) -> look(most);
    private int overdue;
    private @Nullable Duration next;
    private long nanos = 42;
    private Instant clock = START;
    private final Timers timers =
            new Timers(this::fire, () -> owned, room, 1_000, () -> nanos, () -> clock);

    private TimerStore.Look fire(Collection<TopicPartition> partitions, int most) {
        return store.fire(partitions, most);
    }

    private TimerStore.Look look(int most) {
        looks.add(most);
        int now = Math.min(most, overdue);
        overdue -= now;
        List<Output> firings = new ArrayList<>();
        for (int i = 0; i < now; i++) {
            firings.add(
                    new Output(
                            Records.message(Records.epoch(1), i, "a", "x"),
                            1,
                            "orders",
                            null,
                            new byte[1],
                            new RecordHeaders()));
        }
        return new TimerStore.Look(firings, overdue > 0 ? Duration.ofSeconds(-3) : next);
    }

    private void pass(Duration time) {
        long step = Duration.ofMillis(5).toNanos();
        for (long passed = 0; passed < time.toNanos(); passed += step) {
            nanos += step;
            clock = clock.plusNanos(step);
            timers.turn();
        }
    }

    private Timer dueIn(Duration time) {
        return Timer.set(
                "it",
                Records.message(Records.epoch(1), 0, "a", "x"),
                1,
                clock.plus(time),
                new byte[0]);
    }

    @Test
    void withoutTimersItLooksOnceASecond() {
        pass(Duration.ofSeconds(10));

        assertThat(looks).hasSizeBetween(10, 11);
    }

    @Test
    void itLooksAgainWhenTheNextOneIsDueByTheDatabasesClock() {
        pass(Duration.ofMillis(5));
        next = Duration.ofMillis(300);
        pass(Duration.ofSeconds(1));
        looks.clear();

        pass(Duration.ofMillis(295));
        assertThat(looks).isEmpty();
        pass(Duration.ofMillis(10));
        assertThat(looks).hasSize(1);
    }

    @Test
    void itLooksWhenATimerIsDueThatASaveOfThisProcessHasSet() {
        pass(Duration.ofMillis(5));
        looks.clear();
        timers.set(List.of(Timer.ended("other"), dueIn(Duration.ofMillis(100))));

        pass(Duration.ofMillis(95));
        assertThat(looks).isEmpty();
        pass(Duration.ofMillis(10));
        assertThat(looks).hasSize(1);
    }

    /** Only when to look is decided by it. */
    @Test
    void aClockOfTheProcessThatIsWrongCostsASecondAtMost() {
        pass(Duration.ofMillis(5));
        looks.clear();
        clock = clock.minus(Duration.ofDays(1)); // set back
        Instant due = START.plusMillis(100);
        timers.set(
                List.of(
                        Timer.set(
                                "it",
                                Records.message(Records.epoch(1), 0, "a", "x"),
                                1,
                                due,
                                new byte[0])));
        pass(Duration.ofSeconds(1));
        assertThat(looks).hasSize(1);

        looks.clear();
        clock = clock.plus(Duration.ofDays(2)); // and ahead: it asks too early, and asks again
        next = Duration.ofMillis(100);
        timers.set(List.of(dueIn(Duration.ofDays(-1))));
        pass(Duration.ofMillis(150));
        assertThat(looks).hasSize(2);
    }

    @Test
    void aTimerThatIsSetDuringALookIsNotMissed() {
        store =
                (partitions, most) -> {
                    timers.set(List.of(dueIn(Duration.ofMillis(50))));
                    store = (again, mostAgain) -> look(mostAgain);
                    return new TimerStore.Look(List.of(), null);
                };
        pass(Duration.ofMillis(5));

        pass(Duration.ofMillis(60));

        assertThat(looks).hasSize(1);
    }

    @Test
    void whatIsOverdueFiresAtABoundedPace() {
        overdue = 5_000;

        pass(Duration.ofSeconds(2));

        assertThat(5_000 - overdue).isBetween(1_800, 2_001);
        assertThat(timers.status().late())
                .isBetween(Duration.ofSeconds(3), Duration.ofMillis(3_050));
        assertThat(timers.status().fired()).isEqualTo(5_000 - overdue);
        assertThat(wakes).isPositive();
    }

    @Test
    void afterAPauseItDoesNotFireMoreAtOnceThanInASecond() {
        pass(Duration.ofSeconds(1));
        overdue = 5_000;
        looks.clear();
        nanos += Duration.ofHours(1).toNanos();

        timers.turn();

        assertThat(looks).containsExactly(500);
    }

    @Test
    void whereNoneMayFireTheyStaySet() {
        overdue = 5_000;
        Timers none = new Timers(this::fire, () -> owned, room, 0, () -> nanos, () -> clock);
        looks.clear();

        nanos += Duration.ofSeconds(10).toNanos();
        none.turn();

        assertThat(looks).isEmpty();
        assertThat(overdue).isEqualTo(5_000);
    }

    @Test
    void whileThereIsNoRoomForOutputsNothingFires() {
        overdue = 20_000;

        pass(Duration.ofSeconds(30));

        assertThat(room.isOpen()).isFalse();
        assertThat(20_000 - overdue).isBetween(10_000, 10_500);
    }

    /** What grows is what an alert is made of. */
    @Test
    void whileNothingFiresTheNextOneIsLaterAndLater() {
        next = Duration.ofSeconds(2);
        pass(Duration.ofSeconds(1));
        assertThat(timers.status().late()).isZero();
        store =
                (partitions, most) -> {
                    throw new UnavailableException("no database");
                };
        pass(Duration.ofSeconds(30));
        assertThat(timers.status().late())
                .isBetween(Duration.ofSeconds(27), Duration.ofSeconds(30));

        store = (partitions, most) -> look(most);
        overdue = 20_000;
        pass(Duration.ofSeconds(12));
        assertThat(room.isOpen()).isFalse();
        looks.clear();
        pass(Duration.ofSeconds(10));

        assertThat(looks).hasSizeBetween(9, 11).containsOnly(0);
        assertThat(timers.status().late()).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void withoutPartitionsItDoesNotAsk() {
        owned.clear();
        pass(Duration.ofSeconds(3));
        assertThat(looks).isEmpty();

        owned.add(ORDERS);
        pass(Duration.ofMillis(1_010));
        assertThat(looks).isNotEmpty();
    }

    @Test
    void aDatabaseThatIsAwayIsAskedAgainAfterASecond() {
        List<String> tries = new ArrayList<>();
        store =
                (partitions, most) -> {
                    tries.add("");
                    throw new UnavailableException("away");
                };
        pass(Duration.ofSeconds(3));
        assertThat(tries).hasSizeBetween(2, 4);

        store = (partitions, most) -> look(most);
        overdue = 1;
        pass(Duration.ofMillis(1_100));
        assertThat(overdue).isZero();
    }

    @Test
    void aTimerOfTheFarFutureDoesNotOverflow() {
        pass(Duration.ofMillis(5));
        looks.clear();
        clock = START;
        timers.set(
                List.of(
                        Timer.set(
                                "far",
                                Records.message(Records.epoch(1), 0, "a", "x"),
                                1,
                                Instant.parse("9999-12-31T00:00:00Z"),
                                new byte[0])));
        pass(Duration.ofMillis(900));
        assertThat(looks).isEmpty();
    }
}
