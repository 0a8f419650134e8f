package dev.envelope.core.api;

import org.jspecify.annotations.Nullable;

/** A handler took longer than {@code handler.timeout} for one message, and was interrupted. */
public final class HandlerTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * @param thrown what it threw when it was interrupted; null if it returned something, which is
     *     dropped
     */
    public HandlerTimeoutException(Class<?> handler, @Nullable Throwable thrown) {
        super(
                handler.getName()
                        + " took longer than handler.timeout"
                        + (thrown == null ? "" : ", then " + Words.describe(thrown)),
                thrown);
    }
}
