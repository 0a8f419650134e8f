package dev.envelope.core.pool;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Stage;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.mailbox.ReadyShards;
import dev.envelope.core.mailbox.ShardTurn;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.mailbox.TurnRunner;
import dev.envelope.core.pool.ReadyQueue.Share;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers: each takes its fair share of the ready shards and runs a turn of them.
 *
 * <p>Threads: thread-safe (atomics; the queue has its own lock). {@link #turn} runs one turn by
 * hand.
 */
public final class WorkerPool {

    private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

    private final ReadyQueue queue;
    private final Queue<ShardTurn> running = new ConcurrentLinkedQueue<>(); // oldest first
    private final AtomicInteger target;
    private final AtomicInteger alive = new AtomicInteger();
    private final LongAdder turns = new LongAdder();
    private final PoolSizer sizer;
    private final LongAdder foldsLeftBehind = new LongAdder();
    private final StuckHandlers stuck;
    private final TurnRunner runner;
    private final Consumer<Throwable> onFault;
    private final Ticker ticker;
    private final Telemetry telemetry;
    private volatile @Nullable ThreadFactory threads; // null as long as turns are run by hand
    private volatile boolean stopping;

    /** A pool whose number of workers changes only when somebody asks for that. */
    public WorkerPool(
            int size,
            TurnRunner runner,
            Consumer<Throwable> onFault,
            Ticker ticker,
            Telemetry telemetry) {
        this(size, PoolSizer.fixed(), runner, onFault, ticker, telemetry);
    }

    /**
     * A pool that grows and shrinks by itself where that helps.
     *
     * @param least how many workers it begins with, and does not go below by itself
     * @param most how many it may get by itself; as many as {@code least} for a fixed number
     * @param onFault told what a turn threw: a fault of the program, after which its shards are not
     *     run any more
     */
    public static WorkerPool between(
            int least,
            int most,
            TurnRunner runner,
            Consumer<Throwable> onFault,
            Ticker ticker,
            Telemetry telemetry) {
        PoolSizer sizer = most > least ? new PoolSizer(least, most) : PoolSizer.fixed();
        return new WorkerPool(least, sizer, runner, onFault, ticker, telemetry);
    }

    private WorkerPool(
            int size,
            PoolSizer sizer,
            TurnRunner runner,
            Consumer<Throwable> onFault,
            Ticker ticker,
            Telemetry telemetry) {
        this.queue = new ReadyQueue(ticker);
        this.target = new AtomicInteger(size);
        this.sizer = sizer;
        this.runner = runner;
        this.onFault = onFault;
        this.ticker = ticker;
        this.telemetry = telemetry;
        this.stuck = new StuckHandlers(telemetry);
    }

    /** Where shards say that they have something to do. */
    public ReadyShards readyShards() {
        return queue;
    }

    /** Starts the workers, each on a thread of its own. */
    public void start(ThreadFactory factory) {
        threads = factory;
        startMissing();
    }

    /** Any thread: whether nothing could be saved for a while, though it was tried. */
    public boolean isStoreOut() {
        return runner.isStoreOut();
    }

    /**
     * Changes the number of workers; a surplus worker ends after the turn that it is in. From then
     * on it does not change by itself any more.
     */
    public void resize(int workers) {
        sizer.stop();
        target.set(workers);
        startMissing();
        queue.wakeAll();
    }

    private void startMissing() {
        ThreadFactory factory = threads;
        while (factory != null && !stopping && alive.get() < allowed()) {
            alive.incrementAndGet();
            boolean hasStarted = false;
            try {
                factory.newThread(this::work).start();
                hasStarted = true;
            } finally {
                if (!hasStarted) {
                    alive.decrementAndGet();
                }
            }
        }
    }

    /** As many as wanted, and one for each that is stuck, up to as many again. */
    private int allowed() {
        int wanted = target.get();
        return wanted + Math.min(stuck.now(), wanted);
    }

    /** A worker's life. */
    private void work() {
        try {
            int wakeUpsSeen = queue.wakeUps();
            while (!isSurplus()) {
                Share share = queue.awaitShare(target.get(), wakeUpsSeen);
                if (!share.isEmpty()) {
                    run(share);
                }
                // Nobody interrupts workers: a handler has left this behind, and the next would
                // feel
                // it.
                var unused = Thread.interrupted();
                wakeUpsSeen = queue.wakeUps(); // before it looks whether it is to end
            }
        } catch (Throwable e) { // the one catch-all of this thread
            alive.decrementAndGet();
            var unused = Thread.interrupted(); // as above: what is said now may need a database
            onFault.accept(e);
        }
    }

    private boolean isSurplus() {
        int workers = alive.get();
        while (stopping || workers > allowed()) {
            if (alive.compareAndSet(workers, workers - 1)) {
                return true;
            }
            workers = alive.get();
        }
        return false;
    }

    /**
     * One turn, by hand.
     *
     * @return false if no shard was ready
     */
    public boolean turn() {
        Share share = queue.takeShare(target.get());
        if (share.isEmpty()) {
            return false;
        }
        run(share);
        return true;
    }

    private void run(Share share) {
        telemetry.waited(share.waitedNanos());
        ShardTurn turn = runner.begin(share.shards());
        running.add(turn);
        boolean isToBeSeen = false;
        try {
            runner.run(turn);
        } catch (OutOfMemoryError e) {
            isToBeSeen = true; // what it was at is asked for when the process ends
            throw e;
        } finally {
            if (!isToBeSeen) {
                running.remove(turn);
            }
            stuck.cameBack(turn.watch().timesStuck());
        }
        turns.increment();
    }

    /**
     * The watchdog's turn: takes turns away from workers that are stuck in one fold, and changes
     * the number of workers where it may.
     */
    public void watch() {
        long now = ticker.nanoTime();
        try {
            for (ShardTurn turn : running) {
                if (stuck.look(turn.watch(), now, target.get())) {
                    startMissing();
                }
                if (turn.takeIfStuck(now)) {
                    foldsLeftBehind.increment();
                    telemetry.foldLeftBehind();
                    log.debug("a fold outlasted its turn; its key waits for it, the others go on");
                }
            }
            size(now);
        } catch (RuntimeException | Error e) { // a timer would go silent, and nobody would know
            onFault.accept(e);
        }
    }

    private void size(long now) {
        int workers = target.get();
        PoolSizer.Look look =
                new PoolSizer.Look(
                        queue.hasWaitedSinceLastLook(), busy(), runner.messagesHandled());
        sizer.next(workers, look, now)
                .ifPresent(
                        step -> {
                            if (target.compareAndSet(workers, step.workers())) {
                                startOrStay(workers);
                                queue.wakeAll();
                                log.info(
                                        "{} workers instead of {}: {}",
                                        step.workers(),
                                        workers,
                                        step.reason());
                            } // else somebody has set another number meanwhile
                        });
    }

    /** A machine may refuse to start more threads: then those that are there have to do. */
    private void startOrStay(int before) {
        try {
            startMissing();
        } catch (OutOfMemoryError e) { // so it calls that; it is no lack of memory
            sizer.stop();
            target.set(before);
            log.warn("no more workers than {}: {}", before, e.getMessage());
        }
    }

    /** The messages that user code is at now, or was at when memory ran out. */
    public List<Message> underWay() {
        List<Message> messages = new ArrayList<>();
        for (ShardTurn turn : running) {
            Message message = turn.watch().underWay();
            if (message != null) {
                messages.add(message);
            }
        }
        return messages;
    }

    /** Any thread: how many messages are at each stage of a turn. */
    public Map<Stage, Integer> messagesByStage() {
        Map<Stage, Integer> messages = new EnumMap<>(Stage.class);
        for (ShardTurn turn : running) {
            turn.stage().ifPresent(stage -> messages.merge(stage, turn.size(), Integer::sum));
        }
        return messages;
    }

    /** Any thread: what is done with a key's envelope in a turn that runs now. */
    public Optional<Standing> standing(String key) {
        return running.stream().flatMap(turn -> turn.standing(key).stream()).findFirst();
    }

    /** Passed when every turn that runs now has ended or was taken from its worker. */
    public BooleanSupplier barrier() {
        List<ShardTurn> now = List.copyOf(running);
        return () -> now.stream().noneMatch(turn -> running.contains(turn) && !turn.isTaken());
    }

    /** No worker begins another turn. */
    public void stop() {
        stopping = true;
        queue.wakeAll();
    }

    public int size() {
        return target.get();
    }

    public int busy() {
        return running.size();
    }

    public long turns() {
        return turns.sum();
    }

    /** How often a handler was interrupted because it took too long for one message. */
    public long handlerTimeouts() {
        return stuck.timeouts();
    }

    /** How often a worker was started in place of one that may never come back. */
    public long workersReplaced() {
        return stuck.replaced();
    }

    /** Workers whose handler has not heeded an interrupt, and is not back. */
    public int stuck() {
        return stuck.now();
    }

    /** How many of these no other worker has taken the place of. */
    public int notReplaced() {
        return Math.max(stuck.now() - target.get(), 0);
    }

    public long foldsLeftBehind() {
        return foldsLeftBehind.sum();
    }
}
