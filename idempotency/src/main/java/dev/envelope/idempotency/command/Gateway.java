package dev.envelope.idempotency.command;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.idempotency.store.Store;
import java.util.function.LongSupplier;

/**
 * What is behind a gateway: commands and reads of an application, with a producer and threads of
 * their own.
 *
 * <p>Threads: thread-safe.
 */
public final class Gateway implements AutoCloseable {

    /**
     * The settings.
     *
     * @param topic that commands are put into, one of the application's
     * @param idHeader the header that the application takes event ids from, such as {@code ce_id}
     */
    public record Settings(
            String topic, Partitioner partitioner, String idHeader, Commands.Limits limits) {}

    /**
     * Opens it; nothing has to be reachable yet.
     *
     * @param engine of which it takes the brokers and topics
     */
    public static Gateway open(
            Store store, ConsumerSettings engine, Settings settings, LongSupplier nanoTime) {
        return new Gateway();
    }

    public Commands commands() {
        return new Commands();
    }

    public EntityReads reads() {
        return new EntityReads();
    }

    @Override
    public void close() {}
}
