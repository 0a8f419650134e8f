package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.decode.DecoderOutException;
import org.jspecify.annotations.Nullable;

/** One message could not be folded. Without a stack trace: its cause has one. */
final class MessageFailed extends Exception {

    private static final long serialVersionUID = 1L;

    private final Throwable reason;
    private final boolean retryable;

    MessageFailed(Throwable reason, boolean retryable) {
        super(null, reason, false, false);
        this.reason = reason;
        this.retryable = retryable;
    }

    Throwable reason() {
        return reason;
    }

    /** What the message waits for; null if it is at fault itself. */
    @Nullable Doing waitsFor() {
        return waitsFor(reason);
    }

    /** What a message waits for after such a failure; null if the message itself is at fault. */
    static @Nullable Doing waitsFor(Throwable cause) {
        if (cause instanceof UnreadableStateException unreadable) {
            return unreadable.isDamaged() ? Doing.DAMAGED : Doing.OTHER_VERSION;
        } else if (cause instanceof DecoderOutException out && !out.isClear()) {
            return Doing.UNCLEAR;
        }
        return cause instanceof UnavailableException ? Doing.DECODER_OUT : null;
    }

    boolean isRetryable() {
        return retryable;
    }
}
