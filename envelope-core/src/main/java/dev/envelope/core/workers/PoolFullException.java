package dev.envelope.core.workers;

/** No worker has room for another message, or the pool takes no more: it was not taken. */
public final class PoolFullException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    PoolFullException(String message) {
        super(message);
    }
}
