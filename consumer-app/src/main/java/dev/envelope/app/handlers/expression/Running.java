package dev.envelope.app.handlers.expression;

import java.util.function.BinaryOperator;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;

/**
 * An aggregate that needs only the value that users see.
 *
 * <p>Threads: actor, one at a time.
 */
final class Running extends Accumulator {

    /**
     * How values are aggregated.
     *
     * @param initial the value before the first message; null if the first message's value is taken
     * @param step makes the next value from the last one and a message's
     * @param name of the value
     * @param writes whether the aggregate could have written a value
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
