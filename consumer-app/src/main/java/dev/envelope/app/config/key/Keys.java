package dev.envelope.app.config.key;

import dev.envelope.app.config.key.Key.Trait;
import dev.envelope.app.config.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The settings of a group, in the order in which a class declares them.
 *
 * <p>Threads: filled while that class is initialized, and only read afterwards.
 */
final class Keys {

    private final Group group;
    private final List<Key<?>> declared = new ArrayList<>();

    Keys(Group group) {
        this.group = group;
    }

    Stream<Key<?>> declared() {
        return declared.stream();
    }

    /** A setting without a default. */
    <T> Key<T> add(String name, ValueType<T> type) {
        return add(name, type, any -> Optional.empty());
    }

    <T> Key<T> required(String name, ValueType<T> type) {
        return add(name, type).is(Trait.REQUIRED);
    }

    <T> Key<T> add(String name, ValueType<T> type, String orElse) {
        return add(name, type, any -> Optional.of(orElse)).orElse(orElse);
    }

    /** A setting whose default depends on the machine. */
    <T> Key<T> add(
            String name, ValueType<T> type, Function<Surroundings, Optional<String>> orElse) {
        Key<T> key = new Key<>(name, type, group, orElse);
        declared.add(key);
        return key;
    }
}
