package dev.envelope.idempotency.outbox;

import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the records of the outbox.
 *
 * <p>Threads: one thread, the relay's; may block, within its own timeouts.
 */
public interface Delivery extends AutoCloseable {

    /**
     * Why a record was not acknowledged. It may have been written all the same.
     *
     * @param onlyThis whether other records can still be delivered
     */
    record Refusal(String why, boolean onlyThis) {}

    /**
     * Sends records and waits for their acknowledgements.
     *
     * @return for each record, in order: empty if it was acknowledged, otherwise why not
     */
    List<Optional<Refusal>> deliver(
            List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records);

    /** Aborts what is in flight; no record that is not acknowledged yet arrives later. */
    @Override
    void close();
}
