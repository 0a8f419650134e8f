package dev.envelope.core.membership;

import java.time.Duration;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.jspecify.annotations.Nullable;

/** The partitions that the coordinator of a consumer group gives. */
public final class OfGroup implements Membership {

    private final Consumer<byte @Nullable [], byte @Nullable []> consumer;

    public OfGroup(Consumer<byte @Nullable [], byte @Nullable []> consumer) {
        this.consumer = consumer;
    }

    @Override
    public void begin(Set<String> topics, ConsumerRebalanceListener listener) {
        consumer.subscribe(topics, listener);
    }

    @Override
    public int generation() {
        return consumer.groupMetadata().generationId();
    }

    @Override
    public ConsumerRecords<byte @Nullable [], byte @Nullable []> poll(Duration timeout) {
        return consumer.poll(timeout);
    }
}
