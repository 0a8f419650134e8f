package dev.envelope.app.handlers.expression;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What an expression can do with the values at its pointer. */
enum Function {
    SUM(true),
    COUNT(false),
    MIN(true),
    MAX(true),
    AVG(true),
    FIRST(false),
    LAST(false),
    DISTINCT(false);

    /** The bound of a distinct count that names none. */
    static final int DEFAULT_BOUND = 1_000;

    /** The highest bound of a distinct count: 213 kB in the row. */
    static final int MAX_BOUND = 10_000;

    static final List<String> WORDS = Arrays.stream(values()).map(Function::word).toList();

    private final boolean ofNumbers;

    Function(boolean ofNumbers) {
        this.ofNumbers = ofNumbers;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether anything but a number is of the wrong type. */
    boolean isOfNumbers() {
        return ofNumbers;
    }

    Accumulator newAccumulator(int bound) {
        return switch (this) {
            case SUM -> new SumAccumulator();
            case COUNT -> new CountAccumulator();
            case MIN -> new ExtremeAccumulator(false);
            case MAX -> new ExtremeAccumulator(true);
            case AVG -> new AverageAccumulator();
            case FIRST -> new EdgeAccumulator(false);
            case LAST -> new EdgeAccumulator(true);
            case DISTINCT -> new DistinctAccumulator(bound);
        };
    }
}
