package dev.envelope.idempotency.fold;

/** Bytes that can't be decoded, or a state that can't be encoded; a retry would not help. */
public class MalformedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public MalformedException(String message) {
        super(message);
    }

    public MalformedException(String message, Throwable cause) {
        super(message, cause);
    }
}
