package dev.envelope.idempotency.store.reply;

import dev.envelope.core.api.Message;
import dev.envelope.core.key.RowKeys;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a command, saved with the change that the command has made. The first answer to a
 * command stays, unless a later one says more: what was parked may be put out or applied later, and
 * after a command was put out it may be sent again and applied. A command that is applied although
 * an answer says that it was before was applied to a row that is not there any more: then, too, the
 * later answer is the one to keep.
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

    /** Where a command's message is. */
    public record At(int source, long offset) {}

    /** What became of the command. */
    public enum Result {
        APPLIED("applied", 2),
        /** Another message with the same event id was applied before. */
        DUPLICATE("duplicate", 2),
        PARKED("parked", 0),
        /** It became a dead letter. */
        PUT_OUT("put out", 1);

        private final String text;
        private final int rank;

        Result(String text, int rank) {
            this.text = text;
            this.rank = rank;
        }

        /** Whether the command's effect is in the row. */
        public boolean isApplied() {
            return rank == APPLIED.rank;
        }

        /** Whether an answer with this result takes the place of one with that. */
        public boolean replaces(Result other) {
            return this == APPLIED || rank > other.rank;
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

    /** Which of two answers to a command stays. */
    public static Reply stays(Reply before, Reply now) {
        return now.result.replaces(before.result) ? now : before;
    }

    /** Where its message is. */
    public At at() {
        return new At(origin.epoch().source(), origin.offset());
    }

    /** Whether one of these messages is a command. */
    public static boolean isAmong(List<Message> messages) {
        for (Message message : messages) {
            if (message.header(COMMAND) != null) {
                return true;
            }
        }
        return false;
    }

    /** The id of the command that a message is; null if it is none. */
    public static @Nullable String command(Message message) {
        byte[] header = message.header(COMMAND);
        if (header == null) {
            return null;
        }
        String id = new String(header, StandardCharsets.UTF_8);
        boolean isOne =
                !id.isEmpty()
                        && id.length() <= LONGEST_COMMAND
                        && id.indexOf(0) < 0
                        && RowKeys.canBeIndexed(message.key(), id);
        return isOne ? id : null;
    }

    /** Its approximate size in a statement. */
    public long bytes() {
        return OVERHEAD_BYTES + command.length() + (value == null ? 0 : value.length);
    }
}
