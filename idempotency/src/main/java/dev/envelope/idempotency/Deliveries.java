package dev.envelope.idempotency;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.idempotency.outbox.Delivery;
import dev.envelope.idempotency.outbox.KafkaDelivery;
import dev.envelope.idempotency.output.OutputSender;
import dev.envelope.idempotency.output.kafka.Brokers;
import dev.envelope.idempotency.output.kafka.ExactlyOnce;
import dev.envelope.idempotency.table.NoBroker;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;

/** Where dead letters and outputs go. */
public record Deliveries(Delivery deadLetters, OutputSender outputs) {

    /** Nowhere: nothing is emitted or becomes a dead letter, and no broker is needed. */
    public static final Deliveries NONE = new Deliveries(new NoBroker(), new NoBroker());

    /**
     * To the brokers that are read from; outputs exactly once. Their numbers are committed for the
     * first partition of the first topic by name.
     */
    public static Deliveries toTheBrokersOf(ConsumerSettings engine) {
        return toTheBrokersOf(engine, new TreeSet<>(engine.topics()).first());
    }

    /**
     * To the brokers of the client's properties; outputs exactly once.
     *
     * @param numbers the topic for whose first partition numbers of batches are committed; any that
     *     exists
     */
    public static Deliveries toTheBrokersOf(ConsumerSettings engine, String numbers) {
        return new Deliveries(
                KafkaDelivery.toTheBrokersOf(engine),
                new ExactlyOnce(
                        Brokers.of(engine),
                        engine.applicationId(),
                        UUID.randomUUID().toString(),
                        new TopicPartition(numbers, 0)));
    }

    boolean hasBroker() {
        return !equals(NONE);
    }
}
