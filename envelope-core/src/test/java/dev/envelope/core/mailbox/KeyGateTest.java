package dev.envelope.core.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class KeyGateTest {

    private static final Duration A_SECOND = Duration.ofSeconds(1);

    private final KeyGate gate = new KeyGate();

    @Test
    void aPausedKeyIsClosedUntilItIsResumedAndOthersAreOpen() {
        gate.pause("a");

        assertThat(Objects.requireNonNull(gate.closed("a", 0)).why()).isEqualTo(Doing.PAUSED);
        assertThat(gate.closed("b", 0)).isNull();
        assertThat(gate.resume("a")).isTrue();
        assertThat(gate.resume("a")).isFalse();
        assertThat(gate.closed("a", 0)).isNull();
    }

    @Test
    void whatTheDatabaseHoldsBackIsClosedWhateverACallHasResumed() {
        gate.pause("a");
        gate.holdBack(Set.of("a", "b"));
        gate.resume("a");

        assertThat(Objects.requireNonNull(gate.closed("a", 0)).why()).isEqualTo(Doing.PAUSED);
        assertThat(gate.isPaused("b")).isTrue();
        assertThat(gate.closed("c", 0)).isNull();
        gate.pause("c");
        gate.holdBack(Set.of());
        assertThat(gate.closed("a", 0)).isNull();
        assertThat(gate.isPaused("c")).as("by a call").isTrue();
    }

    @Test
    void aKeyWaitsForAsLongAsItsMessagesMayTakeAndOthersDoNot() {
        gate.limitTo(100);
        assertThat(gate.closed("a", 0)).isNull();
        gate.handled("a", 250, 0);

        KeyGate.Closed closed = Objects.requireNonNull(gate.closed("a", 2_400_000_000L));
        assertThat(closed.why()).isEqualTo(Doing.OVER_RATE);
        assertThat(closed.askAgainAfter()).isEqualTo(Duration.ofMillis(100));
        assertThat(gate.closed("b", 500_000_000)).isNull();
        assertThat(gate.closed("a", 2_500_000_000L)).isNull();
    }

    @Test
    void withoutABoundNothingIsRemembered() {
        gate.handled("a", 1_000_000, 0);

        assertThat(gate.closed("a", 0)).isNull();
    }

    @Test
    void anotherBoundHoldsAtOnce() {
        gate.limitTo(1);
        gate.handled("a", 1_000, 0);
        KeyGate.Closed closed = Objects.requireNonNull(gate.closed("a", 0));
        assertThat(closed.askAgainAfter()).as("it is asked again before").isLessThan(A_SECOND);
        gate.limitTo(0);

        assertThat(gate.closed("a", 0)).isNull();
    }

    @Test
    void whatASlowFoldHasBroughtIsSavedThoughItsKeyIsPaused() {
        Bench bench = new Bench(Bench.LIMITS);
        Shard shard = new Shard(1, bench.pool.readyShards(), bench.environment.environment(), gate);
        PartitionEpoch epoch = Records.epoch(1);
        KeyActor actor = shard.hold("a", List.of(bench.message(epoch, "a")));
        shard.takeToRun();
        actor.leftBehind(1, 1);
        gate.pause("a");
        assertThat(actor.foldReturned(1, "what it has brought")).isTrue();
        shard.comesAgain(actor);
        shard.release();
        bench.turns();

        assertThat(bench.handler.savedOffsets("a")).hasSize(1);
    }

    @Test
    void whatFailsIsNotChargedToTheRate() {
        Bench bench = new Bench(Bench.LIMITS);
        Shard shard = new Shard(1, bench.pool.readyShards(), bench.environment.environment(), gate);
        gate.limitTo(1);
        AtomicInteger attempts = new AtomicInteger();
        bench.handler.onKey(
                "a",
                envelope ->
                        attempts.getAndIncrement() == 0
                                ? new Outcome.Failed(
                                        Dispositions.applied(0),
                                        new IllegalStateException("boom"),
                                        true)
                                : Outcome.applied(envelope));
        shard.post(List.of(bench.message(Records.epoch(1), "a")));
        bench.turns();
        bench.advance(150); // its back-off, and no second of its rate
        bench.turns();

        assertThat(bench.handler.savedOffsets("a")).hasSize(1);
    }

    @Test
    void aPausedKeyOfAShardWaitsWithItsMessagesInTheirOrderWhileOthersFlow() {
        Bench bench = new Bench(Bench.LIMITS);
        Shard shard = new Shard(1, bench.pool.readyShards(), bench.environment.environment(), gate);
        PartitionEpoch epoch = Records.epoch(1);
        gate.pause("a");
        shard.post(List.of(bench.message(epoch, "a"), bench.message(epoch, "b")));
        bench.turns();
        shard.post(List.of(bench.message(epoch, "a")));
        bench.turns();

        assertThat(bench.handler.savedOffsets("b")).hasSize(1);
        assertThat(bench.handler.savedOffsets("a")).isEmpty();
        assertThat(shard.standing("a").orElseThrow().doing()).isEqualTo(Doing.PAUSED);
        assertThat(shard.standing("a").orElseThrow().messages()).isEqualTo(2);
        assertThat(shard.isQuiet()).as("a drain does not wait for it").isTrue();

        gate.resume("a");
        bench.advance(1_000);
        bench.turns();

        assertThat(bench.handler.savedOffsets("a")).hasSize(2).isSorted();
    }
}
