package dev.envelope.idempotency.store.timer;

import dev.envelope.core.api.Message;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a save does to one timer of its key.
 *
 * @param name of the timer; a key has at most one of each name
 * @param set what it is set to, in place of what it was; null if it ends
 */
public record Timer(String name, @Nullable Setting set) {

    private static final long OVERHEAD_BYTES = 96; // of its row

    /**
     * A timer as it is set.
     *
     * @param origin the message whose handler sets it
     * @param ordinal its number among that message's effects; with the message it is the timer's
     *     generation
     * @param dueAt by the database's clock
     * @param payload what the handler gets back; never changed
     */
    public record Setting(Message origin, int ordinal, Instant dueAt, byte[] payload) {}

    /** Sets a timer, or sets it again. */
    public static Timer set(
            String name, Message origin, int ordinal, Instant dueAt, byte[] payload) {
        return new Timer(name, new Setting(origin, ordinal, dueAt, payload));
    }

    /** Ends a timer: it was cancelled, or its firing was applied. */
    public static Timer ended(String name) {
        return new Timer(name, null);
    }

    /** Its approximate size in a statement. */
    public long bytes() {
        return OVERHEAD_BYTES + name.length() + (set == null ? 0 : set.payload().length);
    }
}
