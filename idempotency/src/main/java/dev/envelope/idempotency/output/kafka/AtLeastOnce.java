package dev.envelope.idempotency.output.kafka;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.outbox.ProducerSettings;
import dev.envelope.idempotency.outbox.TopicFinder;
import dev.envelope.idempotency.output.OutputSender;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends with an idempotent producer and without transactions: a batch may arrive again, in whole or
 * in part, after a failure.
 *
 * <p>The first arrivals of a key's records are in order. The producer keeps the order of what it
 * sends, so many records of a key are under way at once. But it would go on behind a record that
 * Kafka refuses. So it is closed as soon as one fails, and a record that may be too large is alone
 * on its way.
 *
 * <p>Threads: one thread, the relay's; the producer's thread closes the producer.
 */
public final class AtLeastOnce implements OutputSender {

    private static final Logger log = LoggerFactory.getLogger(AtLeastOnce.class);
    private static final int BLOCK_MILLIS = 5_000;

    private final Brokers brokers;
    private final TopicFinder topics;
    private final OutputFence fence;

    /** By topic, how large a record has arrived. */
    private final Map<String, Long> taken = new HashMap<>();

    private @Nullable Producer<byte @Nullable [], byte @Nullable []> producer;
    private boolean isAlone;

    /**
     * @param at the partition for which relays with transactions have committed numbers; null if it
     *     is not known
     */
    public AtLeastOnce(Brokers brokers, String applicationId, @Nullable TopicPartition at) {
        this.brokers = brokers;
        this.topics = brokers.topics();
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
        return new Acknowledged();
    }

    @Override
    public OptionalLong committed(List<String> ids) {
        return fence.committedIfAllowed(ids);
    }

    private Producer<byte @Nullable [], byte @Nullable []> producer() {
        Producer<byte @Nullable [], byte @Nullable []> open = producer;
        if (open == null) {
            ProducerSettings settings = new ProducerSettings(brokers.producer(), BLOCK_MILLIS);
            if (isAlone) {
                settings.with(ProducerConfig.BATCH_SIZE_CONFIG, 0);
            }
            open = settings.make();
            producer = open;
        }
        return open;
    }

    @Override
    public void close() {
        topics.forget();
        Producer<byte @Nullable [], byte @Nullable []> open = producer;
        producer = null;
        if (open != null) {
            open.close(Duration.ZERO);
        }
    }

    private final class Acknowledged implements Batch {

        private Flight flight = new Flight(List.of());

        @Override
        public void send(List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
            flight = new Flight(records);
            flight.send(topics, taken, this::send);
        }

        private Future<RecordMetadata> send(
                ProducerRecord<byte @Nullable [], byte @Nullable []> record, Callback callback) {
            Producer<byte @Nullable [], byte @Nullable []> sending = producer();
            return sending.send(
                    record,
                    (metadata, failure) -> {
                        callback.onCompletion(metadata, failure);
                        if (failure != null) {
                            sending.close(Duration.ZERO); // nothing behind it is sent
                        }
                    });
        }

        @Override
        public Map<Integer, String> commit(long number) {
            if (!flight.hasFailed() && flight.await()) {
                return Map.of();
            }
            abort();
            Map<Integer, String> refused = flight.refused(null);
            if (refused.isEmpty()) {
                throw new UnavailableException(flight.trouble());
            }
            return refused;
        }

        @Override
        public void abort() {
            if (!isAlone && producer != null && Splits.of(producer) > 0) {
                isAlone = true;
                log.warn(Splits.SAID);
            }
            taken.clear(); // a topic may take less now
            close();
        }
    }
}
