package dev.envelope.core.membership;

import java.time.Duration;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.jspecify.annotations.Nullable;

/**
 * Who decides which partitions a process reads.
 *
 * <p>Threads: poll thread only.
 */
public interface Membership {

    /**
     * From now on the listener is told inside of {@link #poll} and {@link #look} what comes and
     * goes.
     */
    void begin(Set<String> topics, ConsumerRebalanceListener listener);

    /**
     * Looks whether anything has changed that nobody else tells of; called before commits. What has
     * is told to the listener.
     */
    default void look() {}

    /** Grows whenever partitions are given to a process; -1 before they were to this one. */
    int generation();

    /** As that of the client. */
    ConsumerRecords<byte @Nullable [], byte @Nullable []> poll(Duration timeout);
}
