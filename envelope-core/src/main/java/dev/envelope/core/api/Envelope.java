package dev.envelope.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one key that a turn took together; it is saved once. Messages of one source are
 * in offset order.
 *
 * @param key the row key, or one that begins with {@link Message#NO_ROW}
 * @param messages at least one
 * @param carried the result of a slow fold of exactly these messages, or null; only the handler
 *     that made it knows its type
 * @param waited what the key waited for before this turn, if nothing of it was done since; null if
 *     it did not wait
 * @param givenUp set if the first message has failed for the last time, else null
 */
public record Envelope(
        String key,
        List<Message> messages,
        @Nullable Object carried,
        @Nullable Doing waited,
        @Nullable GivenUp givenUp) {

    /**
     * The last failure of an envelope's first message, which is to be set aside by the policy and
     * not folded again.
     *
     * @param attempts how often it was tried
     * @param cause the exception of the last attempt
     */
    public record GivenUp(int attempts, Throwable cause) {}

    public Envelope {
        if (messages.isEmpty()) {
            throw new InvariantViolation("an envelope without a message: " + key);
        }
    }

    public static Envelope of(String key, List<Message> messages) {
        return new Envelope(key, messages, null, null, null);
    }

    /** The same with other messages. */
    public Envelope with(List<Message> others) {
        return new Envelope(key, others, carried, waited, givenUp);
    }

    public int size() {
        return messages.size();
    }

    public Message first() {
        return messages.get(0);
    }

    /** Whether its messages can't have a row and are to be set aside, each by itself. */
    public boolean isWithoutRow() {
        return Message.isOfNoRow(key);
    }
}
