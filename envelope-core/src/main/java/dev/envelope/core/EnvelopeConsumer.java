package dev.envelope.core;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.fetch.LoopRunner;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.pool.WorkerPool;
import dev.envelope.core.position.KafkaTopicAdmin;
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
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member of a consumer group that hands the records of its partitions to a handler, in envelopes,
 * and commits what the handler has made durable.
 *
 * <p>Threads: thread-safe. It has a poll thread, workers, a timer and two background threads of its
 * own; listeners are called on whichever of them brought the change about, and must not block.
 */
public final class EnvelopeConsumer implements AutoCloseable {

    /** What a consumer is doing, in the order in which it comes about. */
    public enum State {
        CREATED,
        /** Has not yet been given its part by the group. */
        STARTING,
        RUNNING,
        /** Saves what was fetched. */
        CLOSING,
        CLOSED,
        /** The program was found to be wrong; nothing is committed any more. */
        FAILED
    }

    private static final Logger log = LoggerFactory.getLogger(EnvelopeConsumer.class);
    private static final Duration CLIENT_CLOSE = Duration.ofSeconds(5);
    private static final Duration DEFAULT_DRAIN = Duration.ofSeconds(20);

    private final SystemEnvironment system = new SystemEnvironment();
    private final KafkaConsumer<byte @Nullable [], byte @Nullable []> kafkaConsumer;
    private final Admin admin;
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
     * Makes the clients and wires the stages; nothing runs before {@link #start}.
     *
     * @throws KafkaException if a client property is wrong
     */
    public EnvelopeConsumer(
            ConsumerSettings settings,
            EnvelopeHandler handler,
            Checkpoints checkpoints,
            Telemetry telemetry) {
        workerThreads = settings.threads().factory("envelope-worker");
        ClientProperties properties = new ClientProperties(settings);
        admin = Admin.create(properties.admin());
        kafkaConsumer = open(properties, admin);
        engine =
                new Engine(
                        settings,
                        new Engine.Surroundings(
                                kafkaConsumer,
                                new KafkaTopicAdmin(admin, settings.applicationId()),
                                checkpoints,
                                handler,
                                system.environment(),
                                telemetry,
                                this::fail,
                                UnaryOperator.identity()));
        loop = engine.loop();
        pool = engine.pool();
        lastWords = new LastWords(handler, pool.running()::underWay);
        watchInterval = settings.turns().turnTime().dividedBy(2).plusMillis(1);
    }

    private static KafkaConsumer<byte @Nullable [], byte @Nullable []> open(
            ClientProperties properties, Admin beside) {
        try {
            return new KafkaConsumer<>(
                    properties.consumer(),
                    new ByteArrayDeserializer(),
                    new ByteArrayDeserializer());
        } catch (KafkaException e) {
            beside.close(Duration.ZERO);
            throw e;
        }
    }

    /** Joins the group and begins. Once per object. */
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

    /** Closes with twenty seconds for what is under way. */
    @Override
    public void close() {
        close(DEFAULT_DRAIN);
    }

    /**
     * Fetches no more, saves what was fetched, commits, leaves the group, ends the threads.
     *
     * @param drainTime how long saving what was fetched may take
     * @return whether everything that was fetched had been saved
     */
    public boolean close(Duration drainTime) {
        if (change(State.CREATED, State.CLOSED)) {
            kafkaConsumer.close(CloseOptions.timeout(Duration.ZERO));
            release();
            return true;
        }
        if (change(State.STARTING, State.CLOSING) || change(State.RUNNING, State.CLOSING)) {
            engine.keys().limitTo(0); // what was fetched is to be saved now
            loop.close(drainTime);
        }
        try {
            Duration most = drainTime.plus(CLIENT_CLOSE).plusSeconds(15);
            if (!ended.await(most.toMillis(), TimeUnit.MILLISECONDS)) {
                log.error("the poll thread does not end; giving it up");
                return false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return state == State.CLOSED && loop.endedComplete();
    }

    /** Poll thread, at its end. */
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
            kafkaConsumer.close(CloseOptions.timeout(CLIENT_CLOSE));
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
                            + " would only throw the other out");
        } else if (thrown instanceof UnreleasedInstanceIdException) {
            log.error(
                    "ended without committing: the group still has a member with this"
                            + " group.instance.id. Once it has left or its session is over, this one"
                            + " can start");
        } else if (thrown instanceof GroupAuthorizationException
                || thrown instanceof UnsupportedVersionException) {
            log.error(
                    "ended without committing: the brokers do not have this process in the group,"
                            + " and the client does not ask again: {}",
                    thrown.getMessage());
        } else {
            log.error("stopped without committing: the program is wrong", thrown);
        }
    }

    private void release() {
        admin.close(Duration.ofSeconds(1));
        system.close();
    }

    /** A worker has found the program to be wrong. */
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

    /** What a listener throws must not keep the consumer from ending. */
    private static void tell(Consumer<State> listener, State to) {
        try {
            listener.accept(to);
        } catch (RuntimeException e) {
            log.warn("a listener that was told of {} threw; it goes on without", to, e);
        }
    }

    /** Calls the listener at every change of state from now on. */
    public void onStateChange(Consumer<State> listener) {
        listeners.add(listener);
    }

    public State state() {
        return state;
    }

    /** What ended a consumer that is {@link State#FAILED}. */
    public @Nullable Throwable fault() {
        return fault;
    }

    /** Whether it is {@link State#FAILED} because memory has run out: end the process. */
    public boolean ranOutOfMemory() {
        return LastWords.isOutOfMemory(fault);
    }

    /** Waits, some seconds at most, while it is written down what memory has run out at. */
    public void awaitLastWords() {
        lastWords.await();
    }

    /** How its partitions stood a moment ago. */
    public EngineStatus status() {
        return loop.status();
    }

    /** Looks at single keys, and at what partitions wait for. */
    public Inspector inspector() {
        return engine.inspector();
    }

    /** What the Kafka consumer counts and measures, by its own names. */
    public Map<MetricName, ? extends Metric> clientMetrics() {
        return kafkaConsumer.metrics();
    }

    /**
     * Fetches nothing more of a partition until it is resumed; what was fetched is saved and
     * committed, and it stays ours. Of this process alone, as long as it runs: whoever is given it
     * next reads it. What is to hold wherever the partition goes is a row of the database.
     */
    public void pause(TopicPartition partition) {
        loop.pause(partition);
    }

    /** The same for all partitions, those that are yet to come included. */
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
     * What operators hold back has just changed in the database: it is looked at now. Without this
     * it is looked at every second, and before a partition that was assigned flows.
     */
    public void lookAtPauses() {
        loop.lookAtPauses();
    }

    /**
     * Which keys have to wait: those that the database says, and others by calls, which hold for
     * this process as long as it runs.
     */
    public KeyGate keys() {
        return engine.keys();
    }

    /** The workers: their number can be changed while they run. */
    public WorkerPool pool() {
        return pool;
    }
}
