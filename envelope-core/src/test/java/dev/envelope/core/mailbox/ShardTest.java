package dev.envelope.core.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Environment;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.testkit.Seeds;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A shard's turns: grouping, caps, time, and what becomes of epochs that end. */
final class ShardTest {

    private Bench bench = new Bench(Bench.LIMITS);
    private final PartitionEpoch epoch = Records.epoch(1);

    // --- grouping

    @Test
    void aTurnGroupsAllThatWaitsIntoOneEnvelopeAKeyInOrder() {
        bench.post(epoch, "a", "b", "a");
        bench.post(epoch, "b", "a");
        bench.turn();

        assertThat(bench.handler.keysByTurn()).containsExactly(List.of("a", "b"));
        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 2L, 4L);
        assertThat(bench.handler.savedOffsets("b")).containsExactly(1L, 3L);
        assertThat(bench.unacked(epoch)).isZero();
        assertThat(bench.turn()).isFalse();
    }

    /** A message takes 5 ms here, and the turn has 100: it has 20 of them, or 21. */
    @Test
    void aTurnTakesNoMoreThanTwiceWhatTheLastOneHasFolded() {
        bench.handler.onAll(
                envelope -> {
                    bench.advance(5L * envelope.size());
                    return Outcome.applied(envelope);
                });
        postKeys(0, 300);
        bench.turn();
        assertThat(bench.handler.turns().get(0)).hasSize(300);

        bench.turn();
        bench.turn();

        assertThat(bench.handler.turns().get(1)).hasSize(42);
        assertThat(bench.handler.turns().get(2)).hasSize(42);
        assertThat(bench.unacked(epoch)).isEqualTo(300 - 3 * 21);
    }

    @Test
    void aSlowHandlersKeysStillGetTheirMessagesTogether() {
        bench.handler.onAll(
                envelope -> {
                    bench.advance(50);
                    return Outcome.applied(envelope);
                });
        postKeys(0, 30);
        bench.turn();
        bench.turns();
        bench.handler.turns().clear();
        postKeys(0, 30);
        postKeys(0, 30);
        postKeys(0, 30);

        bench.turns();

        assertThat(bench.handler.turns().get(0).size()).isLessThan(30);
        assertThat(bench.handler.turns().stream().flatMap(List::stream))
                .allMatch(envelope -> envelope.size() == 3);
        assertThat(bench.unacked(epoch)).isZero();
    }

    @Test
    void aTurnGrowsAgainWhenTheHandlerIsFast() {
        bench.handler.onAll(
                envelope -> {
                    bench.advance(50);
                    return Outcome.applied(envelope);
                });
        postKeys(0, 30);
        bench.turns();
        bench.handler.onAll(Outcome::applied);
        bench.handler.turns().clear();
        postKeys(0, 900);

        bench.turns();

        assertThat(bench.handler.turns()).hasSizeLessThan(10);
        assertThat(bench.handler.turns().get(5).size()).isGreaterThan(256);
    }

    @Test
    void noShardOfATurnIsAlwaysTheLast() {
        Shard other = bench.newShard(1);
        bench.handler.onAll(
                envelope -> {
                    bench.advance(50);
                    return Outcome.applied(envelope);
                });
        postKeys(0, 100);
        other.post(
                IntStream.range(100, 200)
                        .mapToObj(number -> bench.message(epoch, "key " + number))
                        .toList());

        for (int turn = 0; turn < 6; turn++) {
            bench.turn();
        }

        assertThat(doneOf(0, 100)).isPositive();
        assertThat(doneOf(100, 200)).isPositive();
    }

    private long doneOf(int from, int to) {
        return IntStream.range(from, to)
                .filter(number -> !bench.handler.saved("key " + number).isEmpty())
                .count();
    }

    private void postKeys(int from, int to) {
        bench.post(
                epoch,
                IntStream.range(from, to)
                        .mapToObj(number -> "key " + number)
                        .toArray(String[]::new));
    }

    @Test
    void aKeyWithTooManyMessagesComesInSeveralTurns() {
        bench = new Bench(new TurnLimits(3, 1 << 20, 100, 1 << 20, Duration.ofSeconds(1)));
        bench.post(epoch, "a", "a", "b", "a", "a", "a", "a", "a");
        bench.turns();

        assertThat(bench.handler.turns()).hasSize(3);
        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 1L, 3L, 4L, 5L, 6L, 7L);
        assertThat(bench.unacked(epoch)).isZero();
        assertThat(bench.shard.heldKeys()).isZero();
    }

    @Test
    void aKeyWithTooManyBytesComesInSeveralTurnsOneMessageAtTheLeast() {
        int one = bench.message(Records.epoch(9), "x").heldBytes();
        bench = new Bench(new TurnLimits(100, 2L * one, 100, 1 << 20, Duration.ofSeconds(1)));
        bench.post(epoch, "a", "a", "a", "a", "a");
        bench.turns();

        assertThat(bench.handler.turns())
                .extracting(it -> it.get(0).size())
                .containsExactly(2, 2, 1);

        bench = new Bench(new TurnLimits(100, 1, 100, 1 << 20, Duration.ofSeconds(1)));
        bench.post(epoch, "a", "a");
        bench.turns();

        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 1L);
    }

    @Test
    void aTurnTakesNoMoreThanItsCapsAndTheRestComesInTheNext() {
        bench = new Bench(new TurnLimits(100, 1 << 20, 4, 1 << 20, Duration.ofSeconds(1)));
        bench.post(epoch, "a", "b", "c", "d", "e", "f", "a");
        bench.turn();

        assertThat(bench.handler.keysByTurn()).containsExactly(List.of("a", "b", "c", "d"));
        bench.turns();
        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L, 6L);
        assertThat(bench.unacked(epoch)).isZero();
    }

    // --- time

    @Test
    void whatIsNotBegunWhenTheTimeIsUpComesInTheNextTurn() {
        bench.handler.onAll(
                it -> {
                    bench.advance(60);
                    return Outcome.applied(it);
                });
        bench.post(epoch, "a", "b", "c", "d", "e");
        bench.turns();

        assertThat(bench.handler.turns()).extracting(List::size).containsExactly(5, 3, 1);
        assertThat(bench.unacked(epoch)).isZero();
    }

    @Test
    void aSlowLoadDoesNotShrinkTheTurn() {
        bench.handler.onNextTurn(
                turn -> {
                    bench.advance(5000); // before the first fold
                    bench.handler.settleAll(turn);
                });
        bench.post(epoch, "a", "b", "c");
        bench.turns();

        assertThat(bench.handler.turns()).hasSize(1);
    }

    // --- epochs that end

    @Test
    void whatWaitsOfAnEpochThatEndsIsForgottenAndOthersStay() {
        PartitionEpoch other = Records.epoch(2);
        bench.handler.onKey("a", it -> Bench.failed(0));
        bench.handler.onKey("b", it -> Bench.failed(0));
        bench.shard.post(
                List.of(
                        bench.message(epoch, "a"),
                        bench.message(other, "a"),
                        bench.message(epoch, "b")));
        bench.turns();
        bench.post(epoch, "c");
        epoch.close();
        bench.shard.epochsEnded();
        bench.handler.onKeyNoMore("a");
        bench.turns();

        assertThat(bench.handler.savedOffsets("a")).containsExactly(0L);
        assertThat(bench.handler.saved("a").get(0).epoch()).isSameAs(other);
        assertThat(bench.handler.savedOffsets("b")).isEmpty();
        assertThat(bench.handler.savedOffsets("c")).isEmpty();
        assertThat(bench.shard.heldKeys()).isZero();
    }

    @Test
    void aKeyThatHasStoppedIsForgottenWithItsEpoch() {
        bench.handler.onKey(
                "a", it -> new Outcome.Failed(Dispositions.applied(0), new Error("no"), false));
        bench.post(epoch, "a", "a");
        bench.turns();
        epoch.end();
        bench.shard.epochsEnded();
        bench.turns();

        assertThat(bench.shard.heldKeys()).isZero();
    }

    @Test
    void messagesOfAnEpochThatEndsWhileTheStoreIsAwayAreForgotten() {
        bench.handler.onAll(it -> Bench.unavailable());
        bench.post(epoch, "a", "b");
        bench.turns();
        epoch.end();
        bench.shard.epochsEnded();
        bench.turns();

        assertThat(bench.shard.heldKeys()).isZero();
    }

    // --- wake-ups

    @Test
    void aPostBetweenTheLastLookAndGoingIdleIsNotForgotten() {
        Environment real = bench.environment.environment();
        Shard[] shard = new Shard[1];
        Message late = bench.message(epoch, "b");
        // A timer is set after the shard has looked for more, and before it goes idle.
        Environment posting =
                new Environment(
                        real.ticker(),
                        (delay, task) -> shard[0].post(List.of(late)),
                        real.background(),
                        real.blocking(),
                        real.parker(),
                        real.random());
        shard[0] = new Shard(1, bench.pool.readyShards(), posting, new KeyGate());
        bench.handler.onKey("a", it -> Bench.failed(0));
        shard[0].post(List.of(bench.message(epoch, "a")));
        bench.turns();

        assertThat(bench.handler.savedOffsets("b")).containsExactly(late.offset());
        assertThat(shard[0].isIdle()).isTrue();
    }

    // --- all of it, at random

    @Test
    void keepsEveryKeysOrderAndLosesNothingWhateverBecomesOfEnvelopes() {
        Seeds.each(300, random -> runAtRandom(random));
    }

    private static void runAtRandom(SplittableRandom random) {
        Bench bench =
                new Bench(
                        new TurnLimits(
                                random.nextInt(1, 6),
                                1 << 20,
                                random.nextInt(1, 12),
                                1 << 20,
                                Duration.ofMillis(50)));
        PartitionEpoch epoch = Records.epoch(1);
        Set<String> inFold = new HashSet<>();
        bench.handler.onAll(envelope -> outcome(envelope, bench, inFold, random, 3));
        Map<String, List<Long>> posted = new HashMap<>();
        for (int i = 0; i < 60; i++) {
            List<Message> batch = new ArrayList<>();
            for (int n = random.nextInt(4); n > 0; n--) {
                var message = bench.message(epoch, "key" + random.nextInt(5));
                posted.computeIfAbsent(message.key(), key -> new ArrayList<>())
                        .add(message.offset());
                batch.add(message);
            }
            if (!batch.isEmpty()) {
                bench.shard.post(batch);
            }
            if (random.nextBoolean()) {
                bench.turn();
            }
            bench.advance(random.nextInt(40));
        }
        bench.handler.onAll(it -> Outcome.applied(it));
        for (int i = 0; i < 20; i++) {
            bench.turns();
            bench.advance(2000);
        }

        posted.forEach(
                (key, offsets) ->
                        assertThat(bench.handler.savedOffsets(key)).as(key).isEqualTo(offsets));
        assertThat(bench.unacked(epoch)).isZero();
        assertThat(bench.shard.heldKeys()).isZero();
        assertThat(bench.shard.isQuiet()).isTrue();
    }

    private static Outcome outcome(
            Envelope envelope, Bench bench, Set<String> inFold, SplittableRandom random, int deep) {
        assertThat(inFold.add(envelope.key())).as("I3: one fold at a time").isTrue();
        try {
            int dice = random.nextInt(8);
            if (dice == 0) {
                return new Outcome.Deferred(
                        Dispositions.applied(random.nextInt(envelope.size() + 1)));
            } else if (dice == 1) {
                return Outcome.Waiting.on(Doing.LOCKED);
            } else if (dice == 2) {
                return Bench.unavailable();
            } else if (dice == 3 && inFold.size() < deep) {
                bench.advance(random.nextInt(150)); // a slow fold, at times left behind
                bench.pool.watch();
                bench.turn();
            }
            return Outcome.applied(envelope);
        } finally {
            inFold.remove(envelope.key());
        }
    }
}
