package dev.envelope.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one key that a turn took together; it is persisted once. Messages of one source
 * are in offset order.
 *
 * @param key the row key, or one that begins with {@link Message#NO_ROW}
 * @param messages at least one
 * @param carried what a slow fold of exactly these messages brought back, or null; only the handler
 *     that made it knows what it is
 * @param waited what the key waited for before this turn, and nothing of it was done since; null if
 *     it did not wait
 * @param givenUp what is known of the first message if it has failed for the last time, or null
 */
public record Envelope(
        String key,
        List<Message> messages,
        @Nullable Object carried,
        @Nullable Doing waited,
        @Nullable GivenUp givenUp) {

    /**
     * Says of an envelope that its first message has failed for the last time: it is to be set
     * aside by the policy, and not to be folded again.
     *
     * @param attempts how often it was tried
     * @param cause what it failed with last
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
