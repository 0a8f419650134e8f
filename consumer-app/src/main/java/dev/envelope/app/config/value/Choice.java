package dev.envelope.app.config.value;

import java.util.function.Function;

/** Something built in, or a class of the user's own. */
public sealed interface Choice<E extends Enum<E>> {

    /** One that comes with the application. */
    record BuiltIn<E extends Enum<E>>(E value) implements Choice<E> {}

    /** A class by its name, not loaded yet. */
    record OwnClass<E extends Enum<E>>(String className) implements Choice<E> {}

    /** Calls the function of this case. */
    default <R> R match(Function<E, R> builtIn, Function<String, R> ownClass) {
        if (this instanceof BuiltIn<E> it) {
            return builtIn.apply(it.value());
        }
        return ownClass.apply(((OwnClass<E>) this).className());
    }

    /** Whether it is this built-in one. */
    default boolean is(E value) {
        return match(builtIn -> builtIn == value, className -> false);
    }

    /** Whether it is a class of the user's own. */
    default boolean isOwnClass() {
        return match(builtIn -> false, className -> true);
    }
}
