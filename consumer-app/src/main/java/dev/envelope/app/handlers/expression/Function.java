package dev.envelope.app.handlers.expression;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BinaryOperator;
import java.util.function.IntFunction;

/** What an expression can do with the values at its pointer. */
enum Function {
    SUM(true, Running.of(0L, Scalar::sum, "a sum", Scalar::isNumber)),
    COUNT(
            false,
            Running.of(0L, (soFar, next) -> (Long) soFar + 1, "a count", Long.class::isInstance)),
    MIN(
            true,
            Running.of(null, BinaryOperator.minBy(Scalar::compare), "a number", Scalar::isNumber)),
    MAX(
            true,
            Running.of(null, BinaryOperator.maxBy(Scalar::compare), "a number", Scalar::isNumber)),
    AVG(true, bound -> new Average()),
    FIRST(false, Running.of(null, (soFar, next) -> soFar, "a single value", Scalar::isSingle)),
    LAST(
            false,
            Running.of(
                    null,
                    (soFar, next) -> Scalar.storable(next),
                    "a single value",
                    Scalar::isSingle)),
    DISTINCT(false, Distinct::new);

    /** The bound of a distinct count that names none. */
    static final int DEFAULT_BOUND = 1_000;

    /** The highest bound of a distinct count: 213 kB in the row. */
    static final int MAX_BOUND = 10_000;

    static final List<String> WORDS = Arrays.stream(values()).map(Function::word).toList();

    private final boolean ofNumbers;

    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    private final IntFunction<Accumulator> accumulators;

    Function(boolean ofNumbers, IntFunction<Accumulator> accumulators) {
        this.ofNumbers = ofNumbers;
        this.accumulators = accumulators;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether anything but a number is of the wrong type. */
    boolean isOfNumbers() {
        return ofNumbers;
    }

    Accumulator newAccumulator(int bound) {
        return accumulators.apply(bound);
    }
}
