package dev.envelope.app.config.value;

/**
 * A text that is never printed: its text form is a mask.
 *
 * @param reveal the text itself, for the one call that needs it
 */
public record Secret(String reveal) {

    @Override
    public String toString() {
        return ValueType.MASK;
    }
}
