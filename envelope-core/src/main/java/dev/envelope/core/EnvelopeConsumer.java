package dev.envelope.core;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.fetch.LoopRunner;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.membership.Slots;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.pool.WorkerPool;
import dev.envelope.core.position.CommitsAlone;
import dev.envelope.core.source.RecordSource;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.Inspector;
import dev.envelope.core.turn.EnvelopeHandler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member of a consumer group that hands the records of its partitions to a handler, in envelopes,
 * and commits what the handler has made durable.
 *
 * <p>Threads: thread-safe. It has a poll thread, workers, a timer and two background threads of its
 * own; listeners are called on the thread that changed the state, and must not block.
 */
public final class EnvelopeConsumer implements AutoCloseable {

    /** The states of a consumer, in order. */
    public enum State {
        CREATED,
        /** Waits for its first assignment from the group. */
        STARTING,
        RUNNING,
        /** Saves what was fetched. */
        CLOSING,
        CLOSED,
        /** A fault has ended it; nothing is committed any more. */
        FAILED
    }

    private static final Logger log = LoggerFactory.getLogger(EnvelopeConsumer.class);
    private static final Duration CLIENT_CLOSE = Duration.ofSeconds(5);
    private static final Duration WATCH_EVERY = Duration.ofSeconds(1);
    private static final Duration DEFAULT_DRAIN = Duration.ofSeconds(20);

    private final SystemEnvironment system = new SystemEnvironment();
    private final RecordSource source;
    private final Engine engine;
    private final WorkerPool pool;
    private final PollLoop loop;
    private final LastWords lastWords;
    private final Duration watchInterval;
    private final ThreadFactory workerThreads;
    private volatile State state = State.CREATED; // changed under the monitor of listeners
    private final List<Consumer<State>> listeners = new CopyOnWriteArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable Throwable fault;

    public EnvelopeConsumer(
            ConsumerSettings settings, EnvelopeHandler handler, Checkpoints checkpoints) {
        this(settings, handler, checkpoints, Telemetry.NONE);
    }

    /**
     * For a handler without a database: how far it has come is known from the group's commits
     * alone.
     */
    public EnvelopeConsumer(
            ConsumerSettings settings, EnvelopeHandler handler, Telemetry telemetry) {
        this(settings, handler, CommitsAlone::new, telemetry, new Reading(settings, null));
    }

    /**
     * Creates the clients and wires the stages; nothing runs before {@link #start}.
     *
     * @throws KafkaException if a client property is wrong
     */
    public EnvelopeConsumer(
            ConsumerSettings settings,
            EnvelopeHandler handler,
            Checkpoints checkpoints,
            Telemetry telemetry) {
        this(settings, handler, checkpoints, telemetry, new Reading(settings, null));
    }

    /**
     * The same with another way to read.
     *
     * @param reading what is read, and who decides which process reads what
     */
    public EnvelopeConsumer(
            ConsumerSettings settings,
            EnvelopeHandler handler,
            Checkpoints checkpoints,
            Telemetry telemetry,
            Reading reading) {
        this(settings, handler, (TopicAdmin topics) -> checkpoints, telemetry, reading);
    }

    /**
     * What is read, and who decides which process reads what.
     *
     * @param source opens it; it is closed with the consumer
     * @param slots decide; null if the group does
     */
    public record Reading(Function<Environment, RecordSource> source, @Nullable Slots slots) {

        /** The topics of a Kafka cluster. */
        public Reading(ConsumerSettings settings, @Nullable Slots slots) {
            this(environment -> new KafkaSource(settings), slots);
        }
    }

    private EnvelopeConsumer(
            ConsumerSettings settings,
            EnvelopeHandler handler,
            Function<TopicAdmin, Checkpoints> checkpoints,
            Telemetry telemetry,
            Reading reading) {
        if ((reading.slots() == null) != (settings.slots() == null)) {
            throw new IllegalArgumentException(
                    "slots divide the partitions where the settings say so, and only there");
        }
        workerThreads = settings.threads().factory("envelope-worker");
        source = reading.source().apply(system.environment());
        engine =
                new Engine(
                        settings,
                        new Engine.Surroundings(
                                source.client(),
                                source.topics(),
                                checkpoints.apply(source.topics()),
                                handler,
                                system.environment(),
                                telemetry,
                                this::fail,
                                UnaryOperator.identity(),
                                reading.slots()));
        loop = engine.loop();
        pool = engine.pool();
        lastWords = new LastWords(handler, pool.running()::underWay);
        Duration halfATurn = settings.turns().turnTime().dividedBy(2).plusMillis(1);
        watchInterval = halfATurn.compareTo(WATCH_EVERY) < 0 ? halfATurn : WATCH_EVERY;
    }

    /** Joins the group and starts. May be called once. */
    public void start() {
        if (!change(State.CREATED, State.STARTING)) {
            throw new IllegalStateException("already started: " + state);
        }
        pool.start(workerThreads);
        system.every(watchInterval, pool::watch);
        Runnable noticeJoin =
                () -> {
                    if (state == State.STARTING && status().joined()) {
                        change(State.STARTING, State.RUNNING);
                    }
                };
        LoopRunner runner = new LoopRunner(loop, noticeJoin, this::loopEnded);
        SystemEnvironment.threads("envelope-poll").newThread(runner).start();
    }

    /** Closes, with twenty seconds to save what was fetched. */
    @Override
    public void close() {
        close(DEFAULT_DRAIN);
    }

    /**
     * Stops fetching, saves what was fetched, commits, leaves the group, ends the threads.
     *
     * @param drainTime how long saving what was fetched may take
     * @return whether everything that was fetched had been saved
     */
    public boolean close(Duration drainTime) {
        if (change(State.CREATED, State.CLOSED)) {
            source.client().close(CloseOptions.timeout(Duration.ZERO));
            release();
            return true;
        }
        if (change(State.STARTING, State.CLOSING) || change(State.RUNNING, State.CLOSING)) {
            engine.keys().limitTo(0); // no rate limits while it drains
            loop.close(drainTime);
        }
        try {
            Duration most = drainTime.plus(CLIENT_CLOSE).plusSeconds(15);
            if (!ended.await(most.toMillis(), TimeUnit.MILLISECONDS)) {
                log.error("the poll thread does not end in time; closing without it");
                return false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return state == State.CLOSED && loop.endedComplete();
    }

    /** Poll thread: the loop has ended. */
    private void loopEnded(@Nullable Throwable thrown) {
        State last = State.CLOSED;
        if (thrown != null) {
            last = State.FAILED;
            fault = thrown;
            lastWords.say(thrown);
            sayWhy(thrown);
        }
        pool.stop();
        try {
            source.client().close(CloseOptions.timeout(CLIENT_CLOSE));
        } catch (KafkaException e) {
            log.warn("leaving the group: {}", e.getMessage());
        }
        release();
        change(state, last);
        ended.countDown();
    }

    private static void sayWhy(Throwable thrown) {
        if (thrown instanceof FencedInstanceIdException) {
            log.error(
                    "ended without committing: another member of the group has the same"
                            + " group.instance.id. Each needs one of its own; starting this one again"
                            + " would only fence the other");
        } else if (thrown instanceof UnreleasedInstanceIdException) {
            log.error(
                    "ended without committing: the group still has a member with this"
                            + " group.instance.id. Once it has left or its session is over, this one"
                            + " can start");
        } else if (thrown instanceof GroupAuthorizationException
                || thrown instanceof UnsupportedVersionException) {
            log.error(
                    "ended without committing: the brokers refuse this process in the group,"
                            + " and the client does not retry: {}",
                    thrown.getMessage());
        } else {
            log.error("stopped without committing: the program is wrong", thrown);
        }
    }

    private void release() {
        source.close();
        system.close();
    }

    /** Any thread of the pool: a turn has failed by a fault of the program. */
    private void fail(Throwable thrown) {
        lastWords.say(thrown);
        loop.errand(
                () -> {
                    throw new InvariantViolation("a turn failed", thrown);
                });
    }

    private boolean change(State from, State to) {
        synchronized (listeners) {
            if (state != from) {
                return false;
            }
            state = to;
        }
        listeners.forEach(listener -> tell(listener, to));
        return true;
    }

    /** An exception of a listener must not keep the consumer from ending. */
    private static void tell(Consumer<State> listener, State to) {
        try {
            listener.accept(to);
        } catch (RuntimeException e) {
            log.warn("a state listener threw at {}; the consumer goes on", to, e);
        }
    }

    /** Calls the listener at every change of state from now on. */
    public void onStateChange(Consumer<State> listener) {
        listeners.add(listener);
    }

    public State state() {
        return state;
    }

    /** The fault that ended a consumer that is {@link State#FAILED}. */
    public @Nullable Throwable fault() {
        return fault;
    }

    /**
     * Whether it is {@link State#FAILED} because memory has run out; the process should then end.
     */
    public boolean ranOutOfMemory() {
        return LastWords.isOutOfMemory(fault);
    }

    /**
     * Waits, for some seconds at most, until it is recorded what was being folded when memory ran
     * out.
     */
    public void awaitLastWords() {
        lastWords.await();
    }

    /** The status of its partitions a moment ago. */
    public EngineStatus status() {
        return loop.status();
    }

    /** Shows what single keys are doing, and what partitions wait for. */
    public Inspector inspector() {
        return engine.inspector();
    }

    /** The metrics of the client, by their own names. */
    public Map<MetricName, ? extends Metric> clientMetrics() {
        return source.client().metrics();
    }

    /**
     * Stops fetching a partition until it is resumed. What was fetched is saved and committed, and
     * the partition stays assigned. This applies to this process only, until it ends: the next
     * owner fetches the partition. A pause that applies to every owner is a row in the database.
     */
    public void pause(TopicPartition partition) {
        loop.pause(partition);
    }

    /** The same for all partitions, including those that are assigned later. */
    public void pauseAll() {
        loop.pauseAll();
    }

    /** Undoes {@link #pause}. */
    public void resume(TopicPartition partition) {
        loop.resume(partition);
    }

    /** Undoes {@link #pause} and {@link #pauseAll}. */
    public void resumeAll() {
        loop.resumeAll();
    }

    /**
     * Reads operators' pauses from the database now. Otherwise they are read every second, and
     * before an assigned partition flows.
     */
    public void lookAtPauses() {
        loop.lookAtPauses();
    }

    /**
     * Which keys have to wait: those paused in the database, and those paused by calls, in this
     * process until it ends.
     */
    public KeyGate keys() {
        return engine.keys();
    }

    /** The workers: their number can be changed while they run. */
    public WorkerPool pool() {
        return pool;
    }
}
