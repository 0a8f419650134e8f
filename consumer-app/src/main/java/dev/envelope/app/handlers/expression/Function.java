package dev.envelope.app.handlers.expression;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BinaryOperator;
import java.util.function.IntFunction;

/** The functions that aggregate the values at a pointer. */
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

    /** The default bound of a distinct count. */
    static final int DEFAULT_BOUND = 1_000;

    /** The highest bound of a distinct count, which takes 213 kB in the row. */
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

    /** Whether it accepts only numbers. */
    boolean isOfNumbers() {
        return ofNumbers;
    }

    Accumulator newAccumulator(int bound) {
        return accumulators.apply(bound);
    }
}
