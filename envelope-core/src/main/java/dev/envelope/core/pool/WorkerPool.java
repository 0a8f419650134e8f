package dev.envelope.core.pool;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.mailbox.ReadyShards;
import dev.envelope.core.mailbox.ShardTurn;
import dev.envelope.core.mailbox.TurnRunner;
import dev.envelope.core.pool.ReadyQueue.Share;
import dev.envelope.core.turn.CallTimes;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The workers: each takes its fair share of the ready shards and runs a turn of them.
 *
 * <p>Threads: thread-safe (atomics; the queue has its own lock). {@link #turn} runs one turn by
 * hand.
 */
public final class WorkerPool {

    private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

    private final ReadyQueue queue;
    private final RunningTurns running = new RunningTurns();
    private final Workers workers;
    private final LongAdder turns = new LongAdder();
    private final PoolSizer sizer;
    private final LongAdder foldsLeftBehind = new LongAdder();
    private final StuckHandlers stuck;
    private final TurnRunner runner;
    private final Consumer<Throwable> onFault;
    private final Ticker ticker;
    private final Telemetry telemetry;

    /**
     * Whether the last turn that has ended had more to do than its time allowed. With slow handlers
     * keys wait in turns, and hardly a shard in the queue.
     */
    private volatile boolean hasPutOff;

    /**
     * A pool that grows and shrinks by itself where that helps.
     *
     * @param least how many workers it begins with, and does not go below by itself
     * @param most how many it may get by itself; as many as {@code least} for a fixed number
     * @param by what decides between these two
     * @param onFault called with what a turn threw: a fault of the program, after which its shards
     *     are not run any more
     */
    public WorkerPool(
            int least,
            int most,
            PoolSizing by,
            TurnRunner runner,
            Consumer<Throwable> onFault,
            Ticker ticker,
            Telemetry telemetry) {
        this.queue = new ReadyQueue(ticker);
        this.sizer = sizer(least, most, by, ticker);
        this.runner = runner;
        this.onFault = onFault;
        this.ticker = ticker;
        this.telemetry = telemetry;
        this.stuck = new StuckHandlers(telemetry);
        this.workers = new Workers(least, stuck::now);
    }

    private static PoolSizer sizer(int least, int most, PoolSizing by, Ticker ticker) {
        if (most <= least) {
            return PoolSizer.fixed();
        }
        return by == PoolSizing.LATENCY
                ? new LatencySizer(least, most, new CallTimes(ticker))
                : new GainSizer(least, most);
    }

    /** The queue of shards that have something to do. */
    public ReadyShards readyShards() {
        return queue;
    }

    /** Starts the workers, each on a thread of its own. */
    public void start(ThreadFactory factory) {
        workers.start(() -> factory.newThread(this::work));
    }

    /** Any thread: whether all attempts to save have failed for a while. */
    public boolean isStoreOut() {
        return runner.isStoreOut();
    }

    /**
     * Sets the number of workers; a surplus worker ends after the turn that it is in. From then on
     * the number does not change by itself.
     */
    public void resize(int size) {
        sizer.stop();
        int before = workers.wanted();
        workers.want(size);
        startOrStay(size, before);
        queue.wakeAll();
    }

    /** The loop of a worker. */
    private void work() {
        try {
            int wakeUpsSeen = queue.wakeUps();
            while (!workers.isSurplus()) {
                Share share = queue.awaitShare(workers.wanted(), wakeUpsSeen);
                if (!share.isEmpty()) {
                    run(share);
                }
                // An interrupt that is pending here was left by a handler, and would hit the next
                // one.
                var unused = Thread.interrupted();
                wakeUpsSeen = queue.wakeUps(); // before the check whether it is to end
            }
        } catch (Throwable e) { // the one catch-all of this thread
            workers.failed();
            var unused =
                    Thread.interrupted(); // as above: the report of the fault may use the database
            onFault.accept(e);
        }
    }

    /**
     * Runs one turn on the caller's thread.
     *
     * @return false if no shard was ready
     */
    public boolean turn() {
        Share share = queue.takeShare(workers.wanted());
        if (share.isEmpty()) {
            return false;
        }
        run(share);
        return true;
    }

    private void run(Share share) {
        telemetry.waited(share.waitedNanos());
        ShardTurn turn = runner.begin(share.shards());
        sizer.stopwatch().ifPresent(turn.watch()::timeWith);
        running.add(turn);
        boolean isToBeSeen = false;
        try {
            runner.run(turn);
            hasPutOff = turn.putOff() > 0;
        } catch (OutOfMemoryError e) {
            isToBeSeen = true; // what it was folding is reported when the process ends
            throw e;
        } finally {
            if (!isToBeSeen) {
                running.remove(turn);
            }
            if (!turn.isTaken()) {
                queue.ended(turn.place());
            }
            stuck.cameBack(turn.watch().timesStuck());
        }
        turns.increment();
    }

    /**
     * The watchdog's pass: takes turns away from workers that are stuck in one fold, and changes
     * the number of workers where it may.
     */
    public void watch() {
        long now = ticker.nanoTime();
        try {
            for (ShardTurn turn : running) {
                if (stuck.look(turn.watch(), now, workers.wanted())) {
                    int size = workers.wanted();
                    startOrStay(size, size);
                }
                if (turn.takeIfStuck(now)) {
                    queue.ended(turn.place());
                    foldsLeftBehind.increment();
                    telemetry.foldLeftBehind();
                    log.debug("a fold outlasted its turn; its key waits for it, the others go on");
                }
            }
            size(now);
        } catch (RuntimeException | Error e) { // otherwise the timer would end without a trace
            onFault.accept(e);
        }
    }

    private void size(long now) {
        int size = workers.wanted();
        PoolSizer.Look look =
                new PoolSizer.Look(
                        queue.hasWaitedSinceLastLook() || hasPutOff,
                        busy(),
                        runner.messagesHandled());
        sizer.next(size, look, now)
                .ifPresent(
                        step -> {
                            if (!workers.want(size, step.workers())) {
                                return; // another number was set meanwhile
                            }
                            if (!startOrStay(step.workers(), size)) {
                                sizer.stop();
                            } else {
                                queue.wakeAll();
                                log.atLevel(sizer.isRestless() ? Level.DEBUG : Level.INFO)
                                        .log(
                                                "{} workers instead of {}: {}",
                                                step.workers(),
                                                size,
                                                step.reason());
                            }
                        });
    }

    /**
     * Starts workers that are missing. If the system can't start more threads, the number stays as
     * it was.
     *
     * @return whether all that are wanted were started
     */
    private boolean startOrStay(int wanted, int before) {
        try {
            workers.startMissing();
            return true;
        } catch (
                OutOfMemoryError e) { // thrown if a thread can't be started; memory has not run out
            workers.want(wanted, before);
            log.warn("no more workers can be started, {} are wanted: {}", wanted, e.getMessage());
            return false;
        }
    }

    /** The turns that are under way. */
    public RunningTurns running() {
        return running;
    }

    /** No worker begins another turn. */
    public void stop() {
        workers.stop();
        queue.wakeAll();
    }

    public int size() {
        return workers.wanted();
    }

    /** Why it has that size, where latency decides; otherwise empty. */
    public String whySize() {
        return sizer.why();
    }

    public int busy() {
        return running.count();
    }

    public long turns() {
        return turns.sum();
    }

    /** How many messages have become durable. */
    public long messagesHandled() {
        return runner.messagesHandled();
    }

    /** In how many envelopes these were: about as many rows were written. */
    public long rowsHandled() {
        return runner.envelopesHandled();
    }

    /** How often a handler was interrupted because it took too long for one message. */
    public long handlerTimeouts() {
        return stuck.timeouts();
    }

    /** How often a worker was started in place of one that may never return. */
    public long workersReplaced() {
        return stuck.replaced();
    }

    /** Workers whose handler ignores an interrupt and has not returned. */
    public int stuck() {
        return stuck.now();
    }

    /** How many of these have not been replaced by another worker. */
    public int notReplaced() {
        return Math.max(stuck.now() - workers.wanted(), 0);
    }

    public long foldsLeftBehind() {
        return foldsLeftBehind.sum();
    }
}
