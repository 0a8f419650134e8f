package dev.envelope.app.handlers;

import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.work.Work;

/**
 * A handler without rows that is ready to run.
 *
 * @param description for the start-up log, one line
 */
public record WorkSpec<M>(Work<M> work, ValueFormat<M> valueFormat, String description)
        implements AutoCloseable {

    /** Closes the work and the format, if they are closeable. The work must no longer run. */
    @Override
    public void close() {
        try {
            HandlerSpec.close(work);
        } finally {
            HandlerSpec.close(valueFormat);
        }
    }
}
