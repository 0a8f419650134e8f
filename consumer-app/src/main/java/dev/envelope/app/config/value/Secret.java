package dev.envelope.app.config.value;

/** A text that is never printed: its text form is a mask. */
public final class Secret {

    private final String text;

    /** Wraps the text. */
    public Secret(String text) {
        this.text = text;
    }

    /** The text itself, for the one call that needs it. */
    public String reveal() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && secret.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return ValueType.MASK;
    }
}
