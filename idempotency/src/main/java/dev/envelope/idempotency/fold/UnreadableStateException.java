package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Words;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A key's state can't be read. No message is at fault, since a handler wrote the state: mostly one
 * of another version, which runs now or ran before.
 */
public final class UnreadableStateException extends RuntimeException {

    private static final long serialVersionUID = 1L;
    private static final int SHOWN_BYTES = 200;

    private final boolean isDamaged;

    private UnreadableStateException(String message, @Nullable Throwable cause, boolean isDamaged) {
        super(message, cause);
        this.isDamaged = isDamaged;
    }

    /**
     * Another version of the handler can read it.
     *
     * @param what the field or shape that this version does not know
     */
    public static UnreadableStateException ofOtherVersion(String what) {
        return new UnreadableStateException(
                "the state in the row was written by another version of the handler: " + what,
                null,
                false);
    }

    /** The same, if the codec does not say why. */
    static UnreadableStateException ofOtherVersion(Throwable thrown) {
        return new UnreadableStateException(
                "the state in the row was written by another version of the handler, as it seems: "
                        + Words.describe(thrown),
                thrown,
                false);
    }

    /** No version can read it. */
    static UnreadableStateException damaged(byte[] state, Throwable why) {
        String text =
                new String(state, 0, Math.min(state.length, SHOWN_BYTES), StandardCharsets.UTF_8);
        return new UnreadableStateException(
                "the state in the row is damaged (%s); its %d bytes begin with %s"
                        .formatted(why.getMessage(), state.length, Words.quote(text)),
                why,
                true);
    }

    /** Whether no version can read it, so that a person has to set or delete it. */
    public boolean isDamaged() {
        return isDamaged;
    }
}
