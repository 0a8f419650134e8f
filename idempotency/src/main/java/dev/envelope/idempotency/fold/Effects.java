package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Message;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * What a handler wants to happen if its result is saved. It is saved with the state, or not at all.
 *
 * <p>Threads: only the worker that has called the handler, until the handler returns.
 */
public interface Effects {

    /** The message: key, offset, timestamp, headers. */
    Message message();

    /**
     * Emits a record. The records of a row key to a topic arrive in the order in which they were
     * emitted. Each has a header {@code envelope.id}, which is the same however often the message
     * is read or folded.
     *
     * @param key the record's key, or null for none; copied
     * @param value the record's value, or null for a tombstone; copied
     * @param headers copied; names that begin with {@code envelope.} are reserved
     * @throws MalformedException if the record can't be sent as it is, or the message would emit
     *     more than it may; the message has failed then, also if the handler goes on
     */
    void emit(String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers);

    /** Emits a record of UTF-8 texts without headers. */
    default void emit(String topic, @Nullable String key, @Nullable String value) {
        emit(
                topic,
                key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                value == null ? null : value.getBytes(StandardCharsets.UTF_8),
                new RecordHeaders());
    }
}
