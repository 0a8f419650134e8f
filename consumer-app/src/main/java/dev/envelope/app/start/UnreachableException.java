package dev.envelope.app.start;

/** A server could not be used within the time that the command waits. */
public final class UnreachableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnreachableException(String sentence) {
        super(sentence);
    }
}
