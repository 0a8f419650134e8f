package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Message;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * What a handler wants to happen if its result is saved. It is saved with the state, or not at all.
 * A message that asks for what can't be has failed, also if the handler catches the exception.
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
     *     more than it may
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

    /**
     * Sets a timer of this key. It replaces one of the same name, also one that has fired but whose
     * firing has not come here yet.
     *
     * <p>When it is due, the handler is called once with {@link #fired} and no value, in the order
     * of the key's messages: the firing comes as a message of the topic that this message is from.
     * Never before it is due by the database's clock.
     *
     * @param name up to 255 characters
     * @param at of the years 1970 to 9999; in the past for as soon as possible
     * @param payload what {@link #fired} has; copied
     * @throws MalformedException if timers are not switched on, the message has no key, or it sets
     *     more than it may
     */
    void timer(String name, Instant at, byte[] payload);

    /** Sets a timer without a payload. */
    default void timer(String name, Instant at) {
        timer(name, at, new byte[0]);
    }

    /** Ends a timer of this key, if there is one of this name; it does not fire any more. */
    void cancel(String name);

    /**
     * Answers the command that this message is; no effect on other messages. Without an answer, it
     * is the new state. The last one counts.
     *
     * @param value copied
     * @throws MalformedException if it is too large
     */
    void reply(byte[] value);

    /** Answers with a UTF-8 text. */
    default void reply(String value) {
        reply(value.getBytes(StandardCharsets.UTF_8));
    }

    /** The timer that has fired, if that is why the handler is called; null for other messages. */
    @Nullable Fired fired();

    /**
     * A timer that has fired. It is gone now; the handler may set it again.
     *
     * @param payload what it was set with; never changed
     */
    record Fired(String name, byte[] payload) {}
}
