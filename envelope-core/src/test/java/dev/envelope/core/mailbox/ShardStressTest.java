package dev.envelope.core.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Environment;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.pool.WorkerPool;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real threads on the hand-over of shards: no wake-up is lost, no shard runs twice at a time. */
final class ShardStressTest {

    private static final int MESSAGES = 150_000;
    private static final int KEYS = 40;
    private static final int SOME_CALL = 100;
    private static final int MOST_ATTEMPTS = 5;

    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final Map<String, Long> lastOfKey = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();
    private int places = 1;

    private static final class Parking implements Environment.Parker {
        @Override
        public void park(long nanos) {
            LockSupport.parkNanos(nanos);
        }

        @Override
        public void unpark() {}
    }

    private Environment environment() {
        return new Environment(
                System::nanoTime,
                (delay, task) -> timers.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS),
                Runnable::run,
                Runnable::run,
                new Parking(),
                () -> ThreadLocalRandom.current().nextLong());
    }

    /** Folds with all that can happen: most are saved, some come again, a few are slow. */
    private void handle(Turn turn) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int place = 0; place < turn.envelopes().size(); place++) {
            if (!turn.enter(place)) {
                return;
            }
            Envelope envelope = turn.envelopes().get(place);
            int dice = random.nextInt(1000);
            if (dice == 0) {
                LockSupport.parkNanos(3_000_000); // the watchdog takes the turn at two
            }
            if (!turn.leave(place, null)) {
                return;
            }
            if (dice < 20) {
                int saved = random.nextInt(envelope.size() + 1);
                requireOrder(envelope, saved);
                turn.settle(place, new Outcome.Deferred(Dispositions.applied(saved)));
            } else if (dice < 22) {
                turn.settle(place, Outcome.Waiting.on(Doing.LOCKED));
            } else {
                requireOrder(envelope, envelope.size());
                turn.settle(place, Outcome.applied(turn.envelopes().get(place)));
            }
        }
    }

    private void requireOrder(Envelope envelope, int saved) {
        for (Message message : envelope.messages().subList(0, saved)) {
            Long before = lastOfKey.put(envelope.key(), message.offset());
            if (before != null && before >= message.offset()) {
                throw new InvariantViolation(message + " was saved after " + before);
            }
        }
    }

    @Test
    @Timeout(60)
    void noWakeUpIsLostAndNoKeyIsOutOfOrder() throws InterruptedException {
        Course course = run(ready -> ready, Duration.ofSeconds(40));

        requireAll(course);
    }

    private void requireAll(Course course) {
        assertThat(fault.get()).isNull();
        assertThat(course.acked()).as("all that was posted was acked, once").isEqualTo(MESSAGES);
        assertThat(course.leftBehind()).as("the watchdog had something to do").isPositive();
    }

    /** Of four workers one may be at each of these places, and each place has work all the time. */
    @Test
    @Timeout(60)
    void whereShardsAreAtSeveralPlacesNoneIsLostOrStarved() throws InterruptedException {
        places = 4;

        requireAll(run(ready -> ready, Duration.ofSeconds(40)));
    }

    @Test
    @Timeout(60)
    void aWakeUpThatIsLostIsSeen() throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        Course course =
                run(
                        ready ->
                                shard -> {
                                    if (calls.incrementAndGet() != SOME_CALL) {
                                        ready.ready(shard);
                                    }
                                },
                        Duration.ofSeconds(2));

        assertThat(fault.get()).isNull();
        assertThat(course.acked()).isLessThan(MESSAGES);
    }

    /** Two threads have to meet for it, which on few cores they may not do in one run. */
    @Test
    @Timeout(60)
    void aShardThatRunsTwiceAtATimeIsSeen() throws InterruptedException {
        boolean isSeen = false;
        for (int attempt = 0; attempt < MOST_ATTEMPTS && !isSeen; attempt++) {
            ShardStressTest fresh = new ShardStressTest();
            fresh.run(ShardStressTest::twice, Duration.ofSeconds(2));
            isSeen = fresh.fault.get() != null;
        }

        assertThat(isSeen).isTrue();
    }

    private static ReadyShards twice(ReadyShards ready) {
        return shard -> {
            ready.ready(shard);
            ready.ready(shard);
        };
    }

    /**
     * @param acked how many messages
     * @param leftBehind folds whose turn the watchdog took
     */
    private record Course(long acked, long leftBehind) {}

    /**
     * Posts all messages, and waits until they are acked or somebody has failed.
     *
     * @param between what comes between the shards and the pool
     * @param patience how long nothing may be acked
     */
    private Course run(UnaryOperator<ReadyShards> between, Duration patience)
            throws InterruptedException {
        Environment environment = environment();
        AckInbox inbox = new AckInbox(environment.parker());
        TurnLimits limits = new TurnLimits(50, 1 << 20, 200, 1 << 20, Duration.ofMillis(1));
        FailurePolicy failures =
                new FailurePolicy(
                        3, Duration.ofMillis(1), Duration.ofMillis(1), FailurePolicy.Last.STOP);
        TurnRunner runner =
                new TurnRunner(this::handle, inbox, limits, failures, environment, Telemetry.NONE);
        WorkerPool pool =
                new WorkerPool(
                        4,
                        4,
                        PoolSizing.GAIN,
                        runner,
                        fault::set,
                        environment.ticker(),
                        Telemetry.NONE);
        ReadyShards ready = between.apply(pool.readyShards());
        List<Shard> shards =
                IntStream.range(0, 8)
                        .mapToObj(i -> new Shard(i, i % places, ready, environment, new KeyGate()))
                        .toList();
        pool.start(Executors.defaultThreadFactory());
        timers.scheduleWithFixedDelay(pool::watch, 500, 500, TimeUnit.MICROSECONDS);
        PartitionEpoch epoch = Records.epoch(1);
        long[] acked = {0};
        int posted = 0;
        long giveUp = System.nanoTime() + patience.toNanos();
        while (acked[0] < MESSAGES && fault.get() == null && System.nanoTime() < giveUp) {
            if (posted < MESSAGES && posted - acked[0] < 5000) {
                posted += post(shards, epoch, posted);
            } else {
                LockSupport.parkNanos(20_000);
            }
            long before = acked[0];
            inbox.drain(it -> acked[0] += count(it));
            giveUp = acked[0] == before ? giveUp : System.nanoTime() + patience.toNanos();
        }
        pool.stop();
        timers.shutdownNow();
        return new Course(acked[0], pool.foldsLeftBehind());
    }

    private int post(List<Shard> shards, PartitionEpoch epoch, int from) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        List<List<Message>> lists = new ArrayList<>();
        shards.forEach(it -> lists.add(new ArrayList<>()));
        int count = Math.min(random.nextInt(1, 40), MESSAGES - from);
        for (int i = 0; i < count; i++) {
            int key = random.nextInt(KEYS);
            lists.get(key % shards.size())
                    .add(Records.message(epoch, from + i, "key" + key, "value"));
        }
        for (int i = 0; i < shards.size(); i++) {
            if (!lists.get(i).isEmpty()) {
                shards.get(i).post(lists.get(i));
            }
        }
        return count;
    }

    private static long count(AckInbox.Notice notice) {
        return notice instanceof AckInbox.Acked acked ? acked.count() : 0;
    }
}
