package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.dedupe.IdHash;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.IdWindow;
import dev.envelope.idempotency.dedupe.MessageIds;
import org.jspecify.annotations.Nullable;

/**
 * The event ids that a row remembers, with those of one run; read when the first message has an id.
 *
 * <p>Threads: one thread, one run.
 */
final class SeenIds {

    private final MessageIds ids;
    private final IdLimits limits;
    private final byte @Nullable [] before;
    private @Nullable IdWindow window;

    /**
     * @param before the window as the row has it
     */
    SeenIds(MessageIds ids, IdLimits limits, byte @Nullable [] before) {
        this.ids = ids;
        this.limits = limits;
        this.before = before;
    }

    /** Whether the message's event id is in the window; if not, adds it. */
    boolean isKnown(Message message) {
        IdHash id = ids.find(message);
        if (id == null) {
            return false;
        }
        IdWindow present = window;
        if (present == null) {
            present = IdWindow.read(before, limits);
            window = present;
        }
        boolean isKnown = present.contains(id);
        if (!isKnown) {
            present.add(id, message.timestampMillis());
        }
        return isKnown;
    }

    /** The window to save. */
    byte @Nullable [] now() {
        return window == null ? before : window.write();
    }
}
