package dev.envelope.app.handlers.expression;

import java.util.function.BinaryOperator;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;

/**
 * An aggregate that goes on from the value that users see.
 *
 * <p>Threads: actor, one at a time.
 */
final class Running extends Accumulator {

    /**
     * What it makes of values.
     *
     * @param initial before the first one; null if that is the first one itself
     * @param step from what it has and the next one
     * @param name of what it has
     * @param writes whether it could have written a value
     */
    private record Aggregate(
            @Nullable Object initial,
            BinaryOperator<Object> step,
            String name,
            Predicate<Object> writes) {}

    private final Aggregate aggregate;
    private @Nullable Object value;

    private Running(Aggregate aggregate) {
        this.aggregate = aggregate;
        this.value = aggregate.initial();
    }

    static IntFunction<Accumulator> of(
            @Nullable Object initial,
            BinaryOperator<Object> step,
            String name,
            Predicate<Object> writes) {
        Aggregate aggregate = new Aggregate(initial, step, name, writes);
        return bound -> new Running(aggregate);
    }

    @Override
    void add(Object next) {
        value = value == null ? Scalar.storable(next) : aggregate.step().apply(value, next);
    }

    @Override
    @Nullable Object value() {
        return value;
    }

    @Override
    void readValue(JsonParser json) {
        value = Scalar.read(json);
        boolean isOurs =
                value == null ? aggregate.initial() == null : aggregate.writes().test(value);
        if (!isOurs) {
            throw unexpected("what is not " + aggregate.name());
        }
    }
}
