package dev.envelope.app.config.value;

/** Says why a text is no value of its setting, in words that follow the setting's name. */
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
