package dev.envelope.core.fetch;

import java.util.Collection;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what a rebalance callback throws out of the client, which would half-finish the rebalance,
 * and brings it to the poll loop after the poll.
 *
 * <p>Threads: poll thread only.
 */
final class Callbacks implements ConsumerRebalanceListener {

    private final ConsumerRebalanceListener inner;
    private @Nullable RuntimeException fault;

    Callbacks(ConsumerRebalanceListener inner) {
        this.inner = inner;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        guarded(() -> inner.onPartitionsAssigned(partitions));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        guarded(() -> inner.onPartitionsRevoked(partitions));
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        guarded(() -> inner.onPartitionsLost(partitions));
    }

    private void guarded(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException e) {
            fault = e;
        }
    }

    /** Throws what a callback threw since the last time. */
    void rethrow() {
        @Nullable RuntimeException thrown = fault;
        fault = null;
        if (thrown != null) {
            throw thrown;
        }
    }
}
