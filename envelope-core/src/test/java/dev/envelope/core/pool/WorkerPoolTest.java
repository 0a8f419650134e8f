package dev.envelope.core.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.mailbox.Shard;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.mailbox.TurnRunner;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.testkit.ManualEnvironment;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.testkit.ScriptedHandler;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class WorkerPoolTest {

    private final ManualEnvironment environment = new ManualEnvironment();
    private final ScriptedHandler handler = new ScriptedHandler();
    private final BlockingQueue<Throwable> faults = new LinkedBlockingQueue<>();
    private volatile boolean wasInterrupted;
    private final List<Thread> threads = new ArrayList<>();

    private WorkerPool pool(int size, EnvelopeHandler by, Telemetry telemetry) {
        return new WorkerPool(
                size,
                size,
                PoolSizing.GAIN,
                runner(by, telemetry),
                this::fault,
                environment.environment().ticker(),
                telemetry);
    }

    private TurnRunner runner(EnvelopeHandler by, Telemetry telemetry) {
        var surroundings = environment.environment();
        return new TurnRunner(
                by,
                new AckInbox(surroundings.parker()),
                new TurnLimits(100, 1 << 20, 1000, 1 << 20, Duration.ofMillis(100)),
                new FailurePolicy(3, Duration.ZERO, Duration.ZERO, FailurePolicy.Last.STOP),
                surroundings,
                telemetry);
    }

    private void fault(Throwable thrown) {
        wasInterrupted = Thread.currentThread().isInterrupted();
        faults.add(thrown);
    }

    private List<Shard> shards(WorkerPool pool, int count) {
        List<Shard> shards = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            shards.add(new Shard(i, pool.readyShards(), environment.environment(), new KeyGate()));
        }
        return shards;
    }

    private static void post(Shard shard, String key) {
        shard.post(List.of(Records.message(Records.epoch(1), 0, key, "value")));
    }

    private void start(WorkerPool pool) {
        pool.start(
                task -> {
                    Thread thread = new Thread(task);
                    thread.setDaemon(true);
                    threads.add(thread);
                    return thread;
                });
    }

    private void awaitEnd(int of) throws InterruptedException {
        for (Thread thread : threads.subList(0, of)) {
            thread.join(10_000);
            assertThat(thread.isAlive()).isFalse();
        }
    }

    @Test
    void anInterruptThatUserCodeLeftBehindDoesNotBreakWhatIsSaidOfItsFault() throws Exception {
        EnvelopeHandler dies =
                turn -> {
                    Thread.currentThread().interrupt();
                    throw new OutOfMemoryError("said by the test");
                };
        WorkerPool pool = pool(1, dies, Telemetry.NONE);
        post(shards(pool, 1).get(0), "a");

        start(pool);

        assertThat(faults.take()).isInstanceOf(OutOfMemoryError.class);
        assertThat(wasInterrupted).isFalse();
    }

    @Test
    void aWorkerThatIsInterruptedWhileItWaitsGoesOn() throws Exception {
        WorkerPool pool = pool(1, handler, Telemetry.NONE);
        List<Shard> shards = shards(pool, 1);
        start(pool);
        for (int i = 0; i < 20; i++) {
            long before = pool.turns();
            threads.get(0).interrupt();
            post(shards.get(0), "key" + i);
            while (pool.turns() == before) {
                Thread.onSpinWait();
            }
        }
        assertThat(threads.get(0).isAlive()).isTrue();
    }

    @Test
    void aWorkerTakesItsFairShareOfTheReadyShardsIntoOneTurn() {
        WorkerPool pool = pool(3, handler, Telemetry.NONE);
        List<Shard> shards = shards(pool, 7);
        shards.forEach(it -> post(it, "key" + it.number()));
        while (pool.turn()) {
            // Until none is ready.
        }

        assertThat(handler.turns()).extracting(List::size).containsExactly(3, 2, 1, 1);
        assertThat(pool.turns()).isEqualTo(4);
        assertThat(pool.busy()).isZero();
    }

    @Test
    void aShardIsNotQueuedTwice() {
        WorkerPool pool = pool(1, handler, Telemetry.NONE);
        Shard shard = shards(pool, 1).get(0);
        post(shard, "a");
        post(shard, "b");

        assertThat(pool.turn()).isTrue();
        assertThat(pool.turn()).isFalse();
    }

    @Test
    void theBarrierWaitsForTheTurnsThatRunAndForNoOthers() {
        WorkerPool pool = pool(1, handler, Telemetry.NONE);
        List<Shard> shards = shards(pool, 2);
        List<BooleanSupplier> barriers = new ArrayList<>();
        handler.onNextTurn(
                turn -> {
                    barriers.add(pool.running().barrier());
                    assertThat(barriers.get(0).getAsBoolean()).isFalse();
                    handler.settleAll(turn);
                });
        post(shards.get(0), "a");
        pool.turn();
        handler.onNextTurn(
                turn -> {
                    assertThat(barriers.get(0).getAsBoolean()).isTrue();
                    handler.settleAll(turn);
                });
        post(shards.get(1), "b");
        pool.turn();

        assertThat(handler.turns()).hasSize(2);
        assertThat(pool.running().barrier().getAsBoolean()).isTrue();
    }

    @Test
    void theBarrierDoesNotWaitForAFoldThatWasLeftBehind() {
        WorkerPool pool = pool(1, handler, Telemetry.NONE);
        handler.onNextTurn(
                turn -> {
                    BooleanSupplier barrier = pool.running().barrier();
                    turn.enter(0);
                    environment.advance(Duration.ofSeconds(1));
                    pool.watch();
                    assertThat(barrier.getAsBoolean()).isTrue();
                    turn.leave(0, null);
                });
        post(shards(pool, 1).get(0), "a");
        pool.turn();

        assertThat(pool.foldsLeftBehind()).isEqualTo(1);
    }

    @Test
    void itIsToldHowLongTheFirstShardOfATurnWasReady() {
        List<Long> waits = new ArrayList<>();
        WorkerPool pool =
                pool(
                        2,
                        handler,
                        new Telemetry() {
                            @Override
                            public void waited(long nanos) {
                                waits.add(nanos);
                            }
                        });
        List<Shard> shards = shards(pool, 4);
        for (Shard shard : shards) {
            post(shard, "a");
            environment.advance(Duration.ofMillis(10));
        }
        pool.turn(); // of two: half of what is there
        pool.turn(); // of one
        pool.turn();

        assertThat(waits).containsExactly(40_000_000L, 20_000_000L, 10_000_000L);
    }

    @Test
    void whatBreaksTheWatchdogIsAFaultAndItWatchesOn() {
        Telemetry broken =
                new Telemetry() {
                    @Override
                    public void foldLeftBehind() {
                        throw new IllegalStateException("no such meter");
                    }
                };
        WorkerPool pool = pool(1, handler, broken);
        handler.onNextTurn(
                turn -> {
                    turn.enter(0);
                    environment.advance(Duration.ofSeconds(1));
                    pool.watch();
                    turn.leave(0, null);
                });
        post(shards(pool, 1).get(0), "a");
        pool.turn();

        assertThat(faults).hasSize(1);
    }

    @Test
    void whatAHandlerThrowsIsAFaultOfTheProgram() throws InterruptedException {
        WorkerPool pool =
                pool(
                        1,
                        turn -> {
                            throw new IllegalStateException("broken");
                        },
                        Telemetry.NONE);
        start(pool);
        post(shards(pool, 1).get(0), "a");

        assertThat(faults.poll(10, TimeUnit.SECONDS)).hasMessage("broken");
        awaitEnd(1);
        assertThat(pool.busy()).isZero();
    }

    @Test
    void whatAHandlerThrowsInATurnByHandReachesTheCaller() {
        WorkerPool pool =
                pool(
                        1,
                        turn -> {
                            throw new IllegalStateException("broken");
                        },
                        Telemetry.NONE);
        post(shards(pool, 1).get(0), "a");

        assertThatThrownBy(pool::turn).hasMessage("broken");
    }

    @Test
    void aBlockingHandlerHasAsMuchConcurrencyAsThereAreWorkers() throws InterruptedException {
        CountDownLatch allInside = new CountDownLatch(4);
        EnvelopeHandler blocking =
                turn -> {
                    allInside.countDown();
                    try {
                        if (!allInside.await(10, TimeUnit.SECONDS)) {
                            throw new IllegalStateException("the others never came");
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    turn.settle(0, Outcome.applied(turn.envelopes().get(0)));
                };
        WorkerPool pool = pool(4, blocking, Telemetry.NONE);
        List<Shard> shards = shards(pool, 4);
        start(pool);
        shards.forEach(it -> post(it, "key" + it.number()));

        assertThat(allInside.await(10, TimeUnit.SECONDS)).isTrue();
        pool.stop();
        awaitEnd(4);
        assertThat(faults).isEmpty();
    }

    @Test
    void aHandlerThatLeavesItsThreadInterruptedDoesNotEndTheWorker() throws InterruptedException {
        BlockingQueue<String> handled = new LinkedBlockingQueue<>();
        WorkerPool pool =
                pool(
                        1,
                        turn -> {
                            turn.settle(0, Outcome.applied(turn.envelopes().get(0)));
                            handled.add(turn.envelopes().get(0).key());
                            Thread.currentThread().interrupt();
                        },
                        Telemetry.NONE);
        Shard shard = shards(pool, 1).get(0);
        start(pool);
        for (int i = 0; i < 3; i++) {
            post(shard, "key" + i);
            assertThat(handled.poll(10, TimeUnit.SECONDS)).isEqualTo("key" + i);
        }
        pool.stop();
        awaitEnd(1);
    }

    /** A worker that looks whether it is to end, and then waits, must not miss the word between. */
    @Test
    void whateverWorkersAreAtWhenThePoolIsStoppedAllOfThemEnd() throws InterruptedException {
        for (int round = 0; round < 2_000; round++) {
            WorkerPool pool = pool(2, handler, Telemetry.NONE);
            start(pool);
            Thread.onSpinWait();
            pool.stop();
        }
        awaitEnd(threads.size());
    }

    @Test
    void itsSizeCanBeChangedWhileItRuns() throws InterruptedException {
        BlockingQueue<String> handled = new LinkedBlockingQueue<>();
        EnvelopeHandler noting =
                turn -> {
                    for (int i = 0; i < turn.envelopes().size(); i++) {
                        turn.settle(i, Outcome.applied(turn.envelopes().get(i)));
                        handled.add(turn.envelopes().get(i).key());
                    }
                };
        WorkerPool pool = pool(3, noting, Telemetry.NONE);
        List<Shard> shards = shards(pool, 8);
        start(pool);
        pool.resize(1);
        for (Thread thread : threads) {
            thread.join(500);
        }
        assertThat(threads.stream().filter(Thread::isAlive)).hasSize(1);

        for (int round = 0; round < 100; round++) {
            pool.resize(1 + round % 3);
            post(shards.get(round % 8), "key" + round);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(handled.poll(10, TimeUnit.SECONDS)).isNotNull();
        }
        pool.stop();
        awaitEnd(threads.size());
        assertThat(pool.size()).isEqualTo(1);
    }

    @Test
    void aNumberThatAPersonHasSetDoesNotChangeByItselfAnyMore() {
        WorkerPool untouched = betweenTwoAndEight();
        WorkerPool set = betweenTwoAndEight();
        set.resize(6);

        for (int second = 0; second < 120; second++) {
            environment.advance(Duration.ofSeconds(1));
            untouched.watch();
            set.watch();
        }

        assertThat(untouched.size()).as("idle from the beginning").isEqualTo(2);
        assertThat(set.size()).isEqualTo(6);
    }

    @Test
    void itGrowsWhereTurnsPutOffWhatTheyHaveNoTimeForThoughNoShardWaits() {
        EnvelopeHandler slow =
                turn -> {
                    environment.advance(Duration.ofMillis(125));
                    turn.settle(0, Outcome.applied(turn.envelopes().get(0)));
                    for (int place = 1; place < turn.envelopes().size(); place++) {
                        turn.settle(place, Outcome.Deferred.NOT_BEGUN);
                    }
                };
        WorkerPool pool = betweenTwoAndEight(slow);
        Shard shard = shards(pool, 1).get(0);
        List<Message> backlog = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            backlog.add(Records.message(Records.epoch(1), i, "key" + i, "value"));
        }
        shard.post(backlog);

        for (int turn = 0; turn < 25; turn++) {
            pool.turn();
            pool.watch();
        }

        assertThat(pool.size()).isEqualTo(3);
    }

    /** It begins with as few as it may have. */
    private WorkerPool betweenTwoAndEight() {
        return betweenTwoAndEight(handler);
    }

    private WorkerPool betweenTwoAndEight(EnvelopeHandler by) {
        return new WorkerPool(
                2,
                8,
                PoolSizing.GAIN,
                runner(by, Telemetry.NONE),
                this::fault,
                environment.environment().ticker(),
                Telemetry.NONE);
    }
}
