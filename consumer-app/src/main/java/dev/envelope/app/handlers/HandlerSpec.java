package dev.envelope.app.handlers;

import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.fold.ValueFormat;

/**
 * A handler that is ready to run.
 *
 * @param description for the start-up log, one line
 */
public record HandlerSpec<S, M>(
        UserFold<S, M> fold,
        StateCodec<S> stateCodec,
        ValueFormat<M> valueFormat,
        String description)
        implements AutoCloseable {

    /**
     * Closes the function and the format, if they are closeable. The handler must no longer run.
     */
    @Override
    public void close() {
        try {
            close(fold.function());
        } finally {
            close(valueFormat);
        }
    }

    static void close(Object part) {
        if (!(part instanceof AutoCloseable closeable)) {
            return;
        }
        try {
            closeable.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IllegalStateException("a part of the handler could not be closed", e);
        }
    }
}
