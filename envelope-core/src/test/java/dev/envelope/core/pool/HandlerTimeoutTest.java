package dev.envelope.core.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.mailbox.Shard;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.mailbox.TurnRunner;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.testkit.ManualEnvironment;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A handler that stays at one message: by hand on one thread, and with workers of its own. */
@Timeout(30)
final class HandlerTimeoutTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualEnvironment environment = new ManualEnvironment();
    private final PartitionEpoch epoch = Records.epoch(1);
    private final List<String> told = new ArrayList<>();
    private final BlockingQueue<Throwable> faults = new LinkedBlockingQueue<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private final BlockingQueue<String> stuckAt = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> done = new LinkedBlockingQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private boolean isMachineFull;
    private final Telemetry telemetry =
            new Telemetry() {
                @Override
                public void handlerTimedOut() {
                    told.add("timed out");
                }

                @Override
                public void workerReplaced() {
                    told.add("replaced");
                }
            };

    @AfterEach
    void letThemGo() {
        release.countDown();
        var unused = Thread.interrupted();
    }

    private WorkerPool pool(int size, EnvelopeHandler handler) {
        var surroundings = environment.environment();
        TurnRunner runner =
                new TurnRunner(
                        handler,
                        new AckInbox(surroundings.parker()),
                        new TurnLimits(
                                100,
                                1 << 20,
                                1000,
                                1 << 20,
                                Duration.ofMillis(100),
                                Duration.ofSeconds(10)),
                        new FailurePolicy(3, Duration.ZERO, Duration.ZERO, FailurePolicy.Last.STOP),
                        surroundings,
                        telemetry);
        return new WorkerPool(
                size, size, PoolSizing.GAIN, runner, faults::add, surroundings.ticker(), telemetry);
    }

    private Shard shard(WorkerPool pool, int number) {
        return new Shard(number, pool.readyShards(), environment.environment(), new KeyGate());
    }

    private void post(Shard shard, String key) {
        shard.post(List.of(Records.message(epoch, shard.number(), key, "value")));
    }

    /** At least once a second, as the watchdog does. */
    private void lookAfter(WorkerPool pool, Duration time) {
        for (Duration left = time; !left.isZero(); ) {
            Duration step = left.compareTo(SECOND) < 0 ? left : SECOND;
            environment.advance(step);
            pool.watch();
            left = left.minus(step);
        }
    }

    /** One turn of one message, by hand. */
    private void inTurn(WorkerPool pool) {
        post(shard(pool, 0), "a");
        assertThat(pool.turn()).isTrue();
    }

    @Test
    void aHandlerThatStaysTooLongIsInterruptedOnceAndItsResultIsRefused() {
        List<WorkerPool> self = new ArrayList<>();
        self.add(
                pool(
                        1,
                        turn -> {
                            WorkerPool pool = self.get(0);
                            FoldGuard guard = turn.guard();
                            turn.enter(0);
                            guard.enter(turn.envelopes().get(0).first(), String.class);
                            pool.watch();
                            lookAfter(pool, Duration.ofSeconds(10));
                            assertThat(Thread.currentThread().isInterrupted()).isFalse();
                            lookAfter(pool, Duration.ofMillis(1));
                            assertThat(Thread.interrupted()).isTrue();
                            lookAfter(pool, Duration.ofSeconds(1));
                            assertThat(Thread.currentThread().isInterrupted()).isFalse();
                            assertThat(guard.leave()).isFalse();
                            turn.leave(0, null);
                        }));
        inTurn(self.get(0));

        assertThat(told).containsExactly("timed out");
        assertThat(self.get(0).handlerTimeouts()).isEqualTo(1);
    }

    @Test
    void anInterruptThatNobodyHasTakenIsNotLeftBehind() {
        List<WorkerPool> self = new ArrayList<>();
        self.add(
                pool(
                        1,
                        turn -> {
                            WorkerPool pool = self.get(0);
                            turn.enter(0);
                            turn.guard().enter(turn.envelopes().get(0).first(), String.class);
                            pool.watch();
                            lookAfter(pool, Duration.ofSeconds(11));
                            assertThat(turn.guard().leave()).isFalse();
                            assertThat(Thread.currentThread().isInterrupted()).isFalse();
                            turn.leave(0, null);
                        }));
        inTurn(self.get(0));

        assertThat(told).containsExactly("timed out");
    }

    @Test
    void theTimeIsThatOfOneMessageAndNotOfTheTurn() {
        List<WorkerPool> self = new ArrayList<>();
        self.add(
                pool(
                        1,
                        turn -> {
                            Message message = turn.envelopes().get(0).first();
                            turn.enter(0);
                            for (int i = 0; i < 5; i++) {
                                turn.guard().enter(message, String.class);
                                self.get(0).watch();
                                lookAfter(self.get(0), Duration.ofSeconds(9));
                                assertThat(turn.guard().leave()).isTrue();
                            }
                            turn.leave(0, null);
                        }));
        inTurn(self.get(0));

        assertThat(told).isEmpty();
    }

    @Test
    void betweenMessagesNobodyIsInterruptedHoweverLongItTakes() {
        List<WorkerPool> self = new ArrayList<>();
        self.add(
                pool(
                        1,
                        turn -> {
                            turn.enter(0);
                            turn.guard().enter(turn.envelopes().get(0).first(), String.class);
                            assertThat(turn.guard().leave()).isTrue();
                            self.get(0).watch();
                            lookAfter(self.get(0), Duration.ofHours(1));
                            assertThat(Thread.currentThread().isInterrupted()).isFalse();
                            turn.leave(0, null);
                        }));
        inTurn(self.get(0));

        assertThat(told).isEmpty();
    }

    // --- with threads

    private void start(WorkerPool pool) {
        pool.start(
                task -> {
                    if (isMachineFull) { // as Thread.start() does then
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    Thread thread = new Thread(task);
                    thread.setDaemon(true);
                    threads.add(thread);
                    return thread;
                });
    }

    /** Key {@code deaf} heeds no interrupt; the others are done at once. */
    private void handle(Turn turn) {
        for (int place = 0; place < turn.envelopes().size(); place++) {
            Message message = turn.envelopes().get(place).first();
            if (!turn.enter(place)) {
                continue;
            }
            turn.guard().enter(message, HandlerTimeoutTest.class);
            if (message.key().startsWith("deaf")) {
                stuckAt.add(message.key());
                awaitWhateverHappens(release);
            }
            boolean isInTime = turn.guard().leave();
            if (!turn.leave(place, null)) {
                done.add(message.key() + (isInTime ? "" : " too late"));
                return;
            }
            done.add(message.key());
            turn.settle(place, Outcome.applied(turn.envelopes().get(place)));
        }
    }

    private static void awaitWhateverHappens(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // Deaf: that is what it is for.
            }
        }
    }

    private void getsStuck(WorkerPool pool, int shard, String key) throws InterruptedException {
        post(shard(pool, shard), key);
        assertThat(stuckAt.poll(10, TimeUnit.SECONDS)).isEqualTo(key);
        pool.watch();
        lookAfter(pool, Duration.ofSeconds(11)); // is left behind, and interrupted
        lookAfter(pool, Duration.ofSeconds(6)); // and does not heed it
    }

    @Test
    void aWorkerThatDoesNotHeedTheInterruptIsReplacedAndTheOthersGoOn() throws Exception {
        WorkerPool pool = pool(1, this::handle);
        start(pool);
        getsStuck(pool, 0, "deaf");

        assertThat(told).containsExactly("timed out", "replaced");
        assertThat(pool.stuck()).isEqualTo(1);
        assertThat(pool.workersReplaced()).isEqualTo(1);
        assertThat(pool.notReplaced()).isZero();
        post(shard(pool, 1), "b");
        assertThat(done.poll(10, TimeUnit.SECONDS)).isEqualTo("b");

        lookAfter(pool, Duration.ofHours(1));
        assertThat(told).as("said once").hasSize(2);
        assertThat(faults).isEmpty();
    }

    @Test
    void beyondTheBoundNobodyIsReplacedAndThePoolSaysSo() throws Exception {
        WorkerPool pool = pool(1, this::handle);
        start(pool);
        getsStuck(pool, 0, "deaf1");
        getsStuck(pool, 1, "deaf2");

        assertThat(told).containsExactly("timed out", "replaced", "timed out");
        assertThat(pool.stuck()).isEqualTo(2);
        assertThat(pool.notReplaced()).isEqualTo(1);
        assertThat(threads).hasSize(2);
    }

    @Test
    void whereTheMachineStartsNoMoreThreadsAStuckWorkerIsNotReplacedAndNothingEnds()
            throws Exception {
        WorkerPool pool = pool(2, this::handle);
        start(pool);
        isMachineFull = true;
        getsStuck(pool, 0, "deaf");

        assertThat(faults).isEmpty();
        assertThat(threads).hasSize(2);
        post(shard(pool, 1), "b");
        assertThat(done.poll(10, TimeUnit.SECONDS)).isEqualTo("b");
    }

    @Test
    void whereTheMachineStartsNoMoreThreadsThePoolKeepsItsSize() throws Exception {
        WorkerPool pool = pool(1, this::handle);
        start(pool);
        isMachineFull = true;

        pool.resize(4);

        assertThat(pool.size()).isEqualTo(1);
        post(shard(pool, 1), "b");
        assertThat(done.poll(10, TimeUnit.SECONDS)).isEqualTo("b");
    }

    @Test
    void aStuckHandlerThatComesBackAtLastIsTooLateAndTheSurplusWorkerEnds() throws Exception {
        WorkerPool pool = pool(1, this::handle);
        start(pool);
        getsStuck(pool, 0, "deaf");

        release.countDown();

        assertThat(done.poll(10, TimeUnit.SECONDS)).isEqualTo("deaf too late");
        assertThat(done.poll(10, TimeUnit.SECONDS)).as("it comes again").isEqualTo("deaf");
        post(shard(pool, 1), "b");
        assertThat(done.poll(10, TimeUnit.SECONDS)).isEqualTo("b");
        pool.stop();
        for (Thread thread : threads) {
            thread.join(10_000);
            assertThat(thread.isAlive()).isFalse();
        }
        assertThat(pool.stuck()).isZero();
        assertThat(pool.busy()).isZero();
    }
}
