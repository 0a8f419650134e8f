package dev.envelope.app.handlers;

import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.work.Calls;

/**
 * A handler without rows that is ready to run.
 *
 * @param description for the start-up log, one line
 */
public record WorkSpec<M>(Calls<M> calls, ValueFormat<M> valueFormat, String description)
        implements AutoCloseable {

    /** Closes the handler and the format, if they are closeable. It must no longer run. */
    @Override
    public void close() {
        try {
            HandlerSpec.close(calls.handler());
        } finally {
            HandlerSpec.close(valueFormat);
        }
    }
}
