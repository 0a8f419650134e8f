package dev.envelope.idempotency.work;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Telemetry;
import dev.envelope.idempotency.Application;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.outbox.DeadLetterHeaders;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.outbox.KafkaDelivery;
import java.time.Duration;
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
     * Wires it; nothing runs before {@link #start}.
     *
     * @param settings what becomes of a message that fails for the last time is {@code STOP} or
     *     {@code DEAD_LETTER}: there is no table that it could be parked in
     * @param deadLetterTopic null if a partition stops at a message that fails for the last time
     */
    public <M> WorkApplication(
            ConsumerSettings settings,
            Work<M> work,
            ValueFormat<M> format,
            @Nullable String deadLetterTopic,
            Telemetry telemetry) {
        FailurePolicy.Last last = settings.failures().last();
        if (last
                != (deadLetterTopic == null
                        ? FailurePolicy.Last.STOP
                        : FailurePolicy.Last.DEAD_LETTER)) {
            throw new IllegalArgumentException(
                    "without rows a message that fails for the last time either stops its partition,"
                            + " or becomes a dead letter, which needs a topic: not "
                            + last);
        }
        deadLetters =
                deadLetterTopic == null
                        ? null
                        : new ToDeadLetters(
                                new DeadLetters(
                                        deadLetterTopic,
                                        settings.applicationId(),
                                        DeadLetterHeaders.STREAMS),
                                KafkaDelivery.toTheBrokersOf(settings),
                                settings.applicationId());
        consumer =
                new EnvelopeConsumer(
                        settings,
                        new WorkHandler<>(
                                work,
                                format,
                                deadLetters == null ? WorkHandler.SettingAside.NEVER : deadLetters,
                                telemetry),
                        telemetry);
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
