package dev.envelope.idempotency.output.kafka;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.outbox.ProducerSettings;
import dev.envelope.idempotency.outbox.TopicFinder;
import dev.envelope.idempotency.output.OutputSender.Batch;
import dev.envelope.idempotency.output.OutputSender.Unknown;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A producer with one transactional id. Each transaction commits a number, as the offset of {@code
 * at} for the group that has the id's name.
 *
 * <p>Threads: one thread, the relay's.
 */
final class TransactionalProducer {

    private static final int BLOCK_MILLIS = 10_000;
    private static final int TRANSACTION_MILLIS = 30_000;
    private static final int CALLBACK_MILLIS = 1_000;

    /**
     * How soon the client asks again while the markers of its last transaction are being written.
     */
    private static final int RETRY_MILLIS = 5;

    private final String id;
    private final TopicPartition at;
    private final TopicFinder topics;
    private final Producer<byte @Nullable [], byte @Nullable []> producer;

    /** By topic, how large a record it has taken. */
    private final Map<String, Long> taken = new HashMap<>();

    private boolean isBroken;

    /**
     * @param isAlone whether each record is sent in a batch of its own
     * @throws KafkaException if the client refuses its settings
     */
    TransactionalProducer(
            Map<String, Object> userProperties,
            String id,
            TopicPartition at,
            TopicFinder topics,
            boolean isAlone) {
        this.id = id;
        this.at = at;
        this.topics = topics;
        ProducerSettings settings =
                new ProducerSettings(userProperties, BLOCK_MILLIS)
                        .orElse(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_MILLIS)
                        .orElse(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, RETRY_MILLIS)
                        .orElse(ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, 1_000)
                        .with(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
        if (isAlone) {
            settings.with(ProducerConfig.BATCH_SIZE_CONFIG, 0);
        }
        this.producer = settings.make();
    }

    /**
     * Takes the id, and commits a first number. This needs every right but that to write to the
     * outputs' topics.
     *
     * @throws KafkaException if it fails; then the producer is of no use
     */
    void open(long number) {
        producer.initTransactions();
        producer.beginTransaction();
        commitNumber(number);
        producer.commitTransaction();
    }

    Batch begin() {
        try {
            producer.beginTransaction();
        } catch (KafkaException | IllegalStateException e) {
            throw unknown("can't begin a transaction", e);
        }
        return new Transaction();
    }

    private void commitNumber(long number) {
        producer.sendOffsetsToTransaction(
                Map.of(at, new OffsetAndMetadata(number)), groupWithoutMembers(id));
    }

    /** Both constructors are to be removed, but Kafka 4.3 has no other way to name a group. */
    @SuppressWarnings("removal")
    private static ConsumerGroupMetadata groupWithoutMembers(String name) {
        return new ConsumerGroupMetadata(name);
    }

    /** Whether no further transaction can be begun: the outcome of one is not known. */
    boolean isBroken() {
        return isBroken;
    }

    /** Whether the producer has divided batches that were too large for their topic. */
    boolean hasSplit() {
        return Splits.of(producer) > 0;
    }

    private Unknown unknown(String what, RuntimeException cause) {
        isBroken = true;
        return new Unknown(what + " as " + id + ": " + Words.describeWithCause(cause), cause);
    }

    void close() {
        producer.close(Duration.ZERO);
    }

    private final class Transaction implements Batch {

        private Flight flight = new Flight(List.of());

        @Override
        public void send(List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
            flight = new Flight(records);
            flight.send(topics, taken, producer::send);
        }

        @Override
        public Map<Integer, String> commit(long number) {
            if (flight.hasFailed()) {
                return aborted(null);
            }
            try {
                commitNumber(number);
            } catch (KafkaException | IllegalStateException e) {
                return aborted(e);
            }
            try {
                producer.commitTransaction();
                return Map.of();
            } catch (KafkaException | IllegalStateException e) {
                // The client asks for the commit after all records have arrived, and not if one has
                // failed.
                if (flight.await(CALLBACK_MILLIS) || !flight.hasFailed()) {
                    throw unknown("nobody knows whether batch " + number + " is committed", e);
                }
                return aborted(e);
            }
        }

        /** The commit was not asked for, so nothing is committed for certain. */
        private Map<Integer, String> aborted(@Nullable RuntimeException failure) {
            abort();
            Map<Integer, String> refused = flight.refused(failure);
            if (refused.isEmpty()) {
                String why = flight.trouble();
                throw new UnavailableException(
                        failure == null || !why.isEmpty() ? why : Words.describeWithCause(failure));
            }
            return refused;
        }

        @Override
        public void abort() {
            topics.forget(); // one of them may be gone, or take less
            taken.clear();
            try {
                producer.abortTransaction();
            } catch (KafkaException | IllegalStateException e) {
                throw unknown("can't abort a transaction", e);
            }
        }
    }
}
