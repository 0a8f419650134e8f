package dev.envelope.idempotency.outbox;

import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Where the records of the outbox go.
 *
 * <p>Threads: one thread, the relay's; may block, within its own timeouts.
 */
public interface Delivery extends AutoCloseable {

    /**
     * Why a record was not acknowledged. It may have arrived all the same.
     *
     * @param onlyThis whether others may be delivered nevertheless
     */
    record Refusal(String why, boolean onlyThis) {}

    /**
     * Sends records and waits for them.
     *
     * @return for each, in their order, nothing if it was acknowledged, or why not
     */
    List<Optional<Refusal>> deliver(
            List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records);

    /** Drops what is under way; nothing that was not acknowledged arrives later. */
    @Override
    void close();
}
