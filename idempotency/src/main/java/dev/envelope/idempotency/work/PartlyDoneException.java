package dev.envelope.idempotency.work;

import static java.util.Objects.requireNonNull;

/**
 * Thrown by {@link WorkBatch} when the first messages of a batch are done, and the next one has
 * failed: those are not handled again, and that one has failed an attempt with the cause.
 */
public class PartlyDoneException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int done;

    /**
     * @param done how many of the batch are done, which is the place of the one that has failed
     * @param cause why it has; one that says that something is away is no failed attempt, as usual
     */
    public PartlyDoneException(int done, Throwable cause) {
        super(requireNonNull(cause));
        this.done = done;
    }

    /** Whether it can be true of a batch of so many. */
    boolean isOf(int messages) {
        return done >= 0 && done < messages;
    }

    int done() {
        return done;
    }

    Throwable why() {
        return requireNonNull(getCause());
    }
}
