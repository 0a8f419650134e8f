package dev.envelope.idempotency.store.reply;

import dev.envelope.core.api.Message;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a command, saved with the change that the command has made. The first answer to a
 * command stays, but for that of a parked one, which is replaced when it is redriven.
 *
 * @param origin the command's message
 * @param command its id, from the header {@link #COMMAND}
 * @param reason why it was set aside; null if it was applied
 * @param value what the handler has replied; null for nothing, then the answer is the state after
 *     the save; never changed
 */
public record Reply(
        Message origin,
        String command,
        Result result,
        @Nullable String reason,
        byte @Nullable [] value) {

    /** The header whose value is the id of a command, as UTF-8. */
    public static final String COMMAND = "envelope.command";

    /** Longer ids are none. */
    public static final int LONGEST_COMMAND = 255;

    private static final long OVERHEAD_BYTES = 128; // of its row

    /** What became of the command. */
    public enum Result {
        APPLIED("applied"),
        /** Another message with the same event id was applied before. */
        DUPLICATE("duplicate"),
        PARKED("parked"),
        /** It became a dead letter. */
        PUT_OUT("put out");

        private final String text;

        Result(String text) {
            this.text = text;
        }

        /** As it is stored. */
        public String text() {
            return text;
        }

        public static Result of(String text) {
            for (Result result : values()) {
                if (result.text.equals(text)) {
                    return result;
                }
            }
            throw new IllegalArgumentException("no result: " + text);
        }
    }

    /** The id of the command that a message is; null if it is none. */
    public static @Nullable String command(Message message) {
        byte[] header = message.header(COMMAND);
        if (header == null) {
            return null;
        }
        String id = new String(header, StandardCharsets.UTF_8);
        return id.isEmpty() || id.length() > LONGEST_COMMAND || id.indexOf(0) >= 0 ? null : id;
    }

    /** Its approximate size in a statement. */
    public long bytes() {
        return OVERHEAD_BYTES + command.length() + (value == null ? 0 : value.length);
    }
}
