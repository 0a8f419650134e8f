package dev.envelope.idempotency.output.kafka;

import dev.envelope.idempotency.output.OutputSender;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Sends nothing: all outputs count as sent. For replays, the outputs of which went out before. */
public final class MutedSender implements OutputSender {

    private final OutputFence fence;

    /**
     * @param at the partition for which relays with transactions have committed numbers; null if it
     *     is not known
     */
    public MutedSender(Brokers brokers, String applicationId, @Nullable TopicPartition at) {
        this.fence = new OutputFence(brokers, applicationId, at);
    }

    @Override
    public List<String> ids() {
        return List.of();
    }

    @Override
    public void open(long number) {}

    @Override
    public Batch begin() {
        return new Batch() {

            @Override
            public void send(List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {}

            @Override
            public Map<Integer, String> commit(long number) {
                return Map.of();
            }

            @Override
            public void abort() {}
        };
    }

    @Override
    public OptionalLong committed(List<String> ids) {
        return fence.committedIfAllowed(ids);
    }

    @Override
    public boolean maySendForOthers() {
        return false;
    }

    @Override
    public void close() {}
}
