package dev.envelope.idempotency.work;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
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
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A consumer whose handler does something with each message and keeps no rows: brokers, topics and
 * a handler are all that it needs.
 *
 * <p>Threads: thread-safe.
 */
public final class WorkApplication implements Application {

    private static final Duration DEFAULT_DRAIN = Duration.ofSeconds(20);

    private final EnvelopeConsumer consumer;
    private final @Nullable ToDeadLetters deadLetters;

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

        private static <M> Parts<M> of(
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
        deadLetters = parts.deadLetters();
        consumer =
                new EnvelopeConsumer(
                        parts.engine(), parts.around().apply(handler(parts)), parts.telemetry());
    }

    private static <M> EnvelopeHandler handler(Parts<M> parts) {
        return new WorkHandler<>(
                parts.calls(),
                parts.format(),
                parts.deadLetters() == null ? WorkHandler.SettingAside.NEVER : parts.deadLetters(),
                parts.shares(),
                parts.telemetry());
    }

    @Override
    public void start() {
        consumer.start();
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
            if (deadLetters != null) {
                deadLetters.close();
            }
        }
    }
}
