package dev.envelope.app.config.key;

import java.time.Duration;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

/**
 * A condition between two settings.
 *
 * @param words the condition, worded to be followed by the other's name
 * @param to the other, which may be declared later
 */
public record Relation<T>(String words, Supplier<Key<T>> to, BiPredicate<T, T> holds) {

    static Relation<Duration> shorterThan(Supplier<Key<Duration>> other) {
        return new Relation<>("be shorter than", other, (one, it) -> one.compareTo(it) < 0);
    }

    static <T extends Comparable<T>> Relation<T> notLargerThan(Supplier<Key<T>> other) {
        return new Relation<>("not be larger than", other, (one, it) -> one.compareTo(it) <= 0);
    }

    static Relation<Duration> notLongerThan(Supplier<Key<Duration>> other) {
        return new Relation<>("not be longer than", other, (one, it) -> one.compareTo(it) <= 0);
    }

    /** The other setting. */
    public Key<T> other() {
        return to.get();
    }
}
