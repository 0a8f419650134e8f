package dev.envelope.idempotency.work;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.Recurring;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.idempotency.Application;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.limit.FailingShares;
import dev.envelope.idempotency.outbox.DeadLetterHeaders;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.outbox.KafkaDelivery;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A consumer whose handler does something with each message and keeps no rows: brokers, topics and
 * a handler are all that it needs. With a store, what the handler writes through the connection
 * that it is given is there once for each message.
 *
 * <p>Threads: thread-safe.
 */
public final class WorkApplication implements Application {

    private static final Duration DEFAULT_DRAIN = Duration.ofSeconds(20);

    private static final Duration FORGETS_EVERY = Duration.ofSeconds(1);

    private final EnvelopeConsumer consumer;
    private final @Nullable ToDeadLetters deadLetters;
    private final @Nullable WorkStore store; // null if there is no database
    private volatile @Nullable Recurring forgetting; // null until started

    /**
     * The parts of an application. Start from {@link #of} and replace what should differ.
     *
     * @param engine what becomes of a message that fails for the last time is {@code STOP} or
     *     {@code DEAD_LETTER}: there is no table that it could be parked in
     * @param deadLetters null if a partition stops at a message that fails for the last time;
     *     closed by the application
     * @param shares how many messages may become dead letters before their partition stops instead
     * @param around wraps the handler, for callers that observe the envelopes
     */
    public record Parts<M>(
            ConsumerSettings engine,
            Calls<M> calls,
            ValueFormat<M> format,
            @Nullable ToDeadLetters deadLetters,
            FailingShares shares,
            Telemetry telemetry,
            UnaryOperator<EnvelopeHandler> around) {

        public Parts {
            engine = engine.withOrdering(engine.ordering().inBatchesOf(calls.most()));
        }

        /** With all defaults, and without dead letters. */
        public static <M> Parts<M> of(
                ConsumerSettings engine, Work<M> work, ValueFormat<M> format) {
            return of(engine, Calls.of(work), format);
        }

        /** The same with up to so many messages a call. */
        public static <M> Parts<M> ofBatches(
                ConsumerSettings engine, WorkBatch<M> work, int most, ValueFormat<M> format) {
            return of(engine, Calls.of(work, most), format);
        }

        /** The same for any form of handler. */
        public static <M> Parts<M> of(
                ConsumerSettings engine, Calls<M> calls, ValueFormat<M> format) {
            return new Parts<>(
                    engine,
                    calls,
                    format,
                    null,
                    new FailingShares(50, 100),
                    Telemetry.NONE,
                    UnaryOperator.identity());
        }

        /** These parts with dead letters to a topic of the brokers that are read from. */
        public Parts<M> withDeadLetters(String topic) {
            ToDeadLetters letters =
                    new ToDeadLetters(
                            new DeadLetters(
                                    topic, engine.applicationId(), DeadLetterHeaders.STREAMS),
                            KafkaDelivery.toTheBrokersOf(engine),
                            engine.applicationId());
            return new Parts<>(engine, calls, format, letters, shares, telemetry, around);
        }

        /** These parts with another telemetry. */
        public Parts<M> with(Telemetry other) {
            return new Parts<>(engine, calls, format, deadLetters, shares, other, around);
        }
    }

    /** Wires the parts; nothing runs before {@link #start}. */
    public WorkApplication(Parts<?> parts) {
        this(parts, null);
    }

    /**
     * The same for a handler that writes to a database, where each message is marked as done.
     *
     * @param store stays open when the application is closed; null if the handler gets no
     *     connection
     */
    public WorkApplication(Parts<?> parts, @Nullable WorkStore store) {
        FailurePolicy.Last last = parts.engine().failures().last();
        if (last
                != (parts.deadLetters() == null
                        ? FailurePolicy.Last.STOP
                        : FailurePolicy.Last.DEAD_LETTER)) {
            throw new IllegalArgumentException(
                    "without rows a message that fails for the last time either stops its partition,"
                            + " or becomes a dead letter, which needs a topic: not "
                            + last);
        }
        if (parts.calls().most() > 1 && parts.engine().sizing() == PoolSizing.LATENCY) {
            throw new IllegalArgumentException(
                    "how long a call takes tells nothing where it has now few messages, now many");
        }
        this.deadLetters = parts.deadLetters();
        this.store = store;
        EnvelopeHandler handler =
                parts.around()
                        .apply(
                                handler(
                                        parts,
                                        store == null ? Transactions.NONE : store.transactions()));
        this.consumer =
                store == null
                        ? new EnvelopeConsumer(parts.engine(), handler, parts.telemetry())
                        : new EnvelopeConsumer(
                                parts.engine(), handler, store.checkpoints(), parts.telemetry());
    }

    private static <M> EnvelopeHandler handler(Parts<M> parts, Transactions transactions) {
        return new WorkHandler<>(
                parts.calls(),
                parts.format(),
                parts.deadLetters() == null ? WorkHandler.SettingAside.NEVER : parts.deadLetters(),
                transactions,
                parts.shares(),
                parts.telemetry());
    }

    @Override
    public void start() {
        consumer.start();
        WorkStore marks = store;
        if (marks != null) {
            forgetting = Recurring.start("marks", FORGETS_EVERY, marks::forgetSome);
        }
    }

    @Override
    public List<Recurring.Status> loops() {
        Recurring running = forgetting;
        return running == null ? List.of() : List.of(running.status());
    }

    @Override
    public EnvelopeConsumer consumer() {
        return consumer;
    }

    @Override
    public void close() {
        close(DEFAULT_DRAIN);
    }

    @Override
    public boolean close(Duration drainTime) {
        try {
            return consumer.close(drainTime);
        } finally {
            Recurring running = forgetting;
            if (running != null) {
                running.close();
            }
            if (deadLetters != null) {
                deadLetters.close();
            }
        }
    }
}
