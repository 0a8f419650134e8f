package dev.envelope.app.config.value;

/** A text is no valid value of its setting. The reason is worded to follow the name. */
public final class BadValueException extends Exception {

    private static final long serialVersionUID = 1L;

    /** The message completes the sentence that begins with the setting. */
    public BadValueException(String message) {
        super(message);
    }

    /** The reason, never absent. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
