package dev.envelope.core.source;

import dev.envelope.core.offset.TopicAdmin;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where an engine's records come from.
 *
 * <p>Threads: its parts say who may call them; any thread closes it, after the client.
 */
public interface RecordSource extends AutoCloseable {

    /** What records are polled from; closed by the engine's poll thread. */
    Consumer<byte @Nullable [], byte @Nullable []> client();

    /** What is known of the logs. */
    TopicAdmin topics();

    @Override
    void close();
}
