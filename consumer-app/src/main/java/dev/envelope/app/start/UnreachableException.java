package dev.envelope.app.start;

/** Says that a server could not be used for as long as the command waits. */
public final class UnreachableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnreachableException(String sentence) {
        super(sentence);
    }
}
