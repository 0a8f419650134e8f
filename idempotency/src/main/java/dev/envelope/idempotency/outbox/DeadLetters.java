package dev.envelope.idempotency.outbox;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.row.OutboxRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Makes dead letters: a message's key, value and headers, with further headers that say where it
 * comes from and why it failed. The message's timestamp is not kept: with it, the topic's retention
 * could delete the record before anybody has seen it.
 */
public final class DeadLetters {

    /** The header with a record's unique id, which is the same at each delivery. */
    public static final String ID = "envelope.id";

    static final String APPLICATION = "envelope.application";
    static final String REASON = "envelope.reason";
    static final String ATTEMPTS = "envelope.attempts";
    static final String TIMESTAMP = "envelope.timestamp";

    private final String topic;
    private final String applicationId;
    private final DeadLetterHeaders naming;

    /**
     * @param topic the topic of the dead letters
     */
    public DeadLetters(String topic, String applicationId, DeadLetterHeaders naming) {
        this.topic = topic;
        this.applicationId = applicationId;
        this.naming = naming;
    }

    /**
     * For a message that is given up.
     *
     * @param reason one word
     * @param kind the class that the headers name as that of the failure
     */
    public OutboxRecord ofFailed(
            Message message,
            String reason,
            Class<? extends Throwable> kind,
            Throwable cause,
            int attempts) {
        String said = cause.getMessage();
        String words = said == null ? kind.getSimpleName() : Words.line(said);
        return of(
                message,
                reason,
                new DeadLetterHeaders.Failure(Words.line(kind.getName()), words),
                attempts);
    }

    /**
     * For a message that can't have a row and was not tried.
     *
     * @param reason one word
     * @param why a sentence; may be empty
     */
    public OutboxRecord ofRefused(Message message, String reason, String why) {
        String words = why.isEmpty() ? reason : Words.line(why);
        return of(message, reason, new DeadLetterHeaders.Failure(null, words), 0);
    }

    private OutboxRecord of(
            Message message, String reason, DeadLetterHeaders.Failure failure, int attempts) {
        Headers headers = new RecordHeaders(message.headers().toArray());
        naming.addTo(headers, message, failure, applicationId);
        DeadLetterHeaders.put(headers, APPLICATION, applicationId);
        DeadLetterHeaders.put(headers, REASON, reason);
        DeadLetterHeaders.put(headers, ATTEMPTS, Integer.toString(attempts));
        DeadLetterHeaders.put(headers, TIMESTAMP, Long.toString(message.timestampMillis()));
        headers.remove(ID); // the relay sets it: only the database knows the topic's id
        return new OutboxRecord(
                message, 0, topic, message.keyBytes(), message.value(), headers, reason);
    }
}
