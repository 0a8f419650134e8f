package dev.envelope.app.config.value;

import java.util.function.UnaryOperator;

/**
 * What the text of a setting may be, and the value that it becomes.
 *
 * @param name the type's name in the reference, such as {@code duration}
 * @param allowed the texts that are allowed, in words: a range or a list
 * @param secret whether no text of this type may ever be shown
 * @param parser turns a text into its value
 * @param mask hides the part of a text that may not be shown
 */
public record ValueType<T>(
        String name, String allowed, boolean secret, Parser<T> parser, UnaryOperator<String> mask) {

    /** The text that is shown in place of a secret. */
    public static final String MASK = "******";

    /** Turns a text into a value, or throws with the reason why it is none. */
    @FunctionalInterface
    public interface Parser<T> {

        /** The value of the text. */
        T parse(String text) throws BadValueException;
    }

    /** A type whose texts may be shown as they are. */
    static <T> ValueType<T> open(String name, String allowed, Parser<T> parser) {
        return new ValueType<>(name, allowed, false, parser, UnaryOperator.identity());
    }

    /** The value of the text. */
    public T parse(String text) throws BadValueException {
        return parser.parse(text);
    }

    /** The text, without what may not be shown. */
    public String shown(String text) {
        return secret ? MASK : mask.apply(text);
    }
}
