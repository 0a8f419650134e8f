package dev.envelope.core.api;

/**
 * Something outside the process cannot be reached or cannot serve now. It says nothing about any
 * message: the caller waits and tries again (I11).
 */
public class UnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnavailableException(String message) {
        super(message);
    }

    public UnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
