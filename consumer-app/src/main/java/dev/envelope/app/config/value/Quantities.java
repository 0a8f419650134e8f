package dev.envelope.app.config.value;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The types of settings that count or measure. */
public final class Quantities {

    private static final Pattern WHOLE = Pattern.compile("-?\\d{1,30}");
    private static final Pattern WITH_UNIT = Pattern.compile("(\\d{1,30})([A-Za-z]*)");
    private static final Pattern LOOSELY = Pattern.compile("(\\d{1,30})\\s*([A-Za-z]+)");

    private static final Measure SIZE =
            new Measure(
                    "size",
                    "B",
                    "a number of bytes, or a number with KiB, MiB or GiB",
                    "write B, KiB, MiB or GiB",
                    List.of(
                            new Unit("GiB", 1L << 30, "g.*"),
                            new Unit("MiB", 1L << 20, "m.*"),
                            new Unit("KiB", 1L << 10, "k.*"),
                            new Unit("B", 1, "b|bytes?")));

    private static final Measure DURATION =
            new Measure(
                    "duration",
                    "",
                    "a whole number with its unit, such as 250ms, 5s or 2m",
                    "the units are ms, s, m, h and d",
                    List.of(
                            new Unit("d", Duration.ofDays(1).toNanos(), "d|days?"),
                            new Unit("h", Duration.ofHours(1).toNanos(), "h|hrs?|hours?"),
                            new Unit("m", Duration.ofMinutes(1).toNanos(), "m|mins?|minutes?"),
                            new Unit("s", Duration.ofSeconds(1).toNanos(), "s|secs?|seconds?"),
                            new Unit(
                                    "ms",
                                    Duration.ofMillis(1).toNanos(),
                                    "ms|msecs?|millis|milliseconds?")));

    private Quantities() {}

    /** A whole number within a range, both ends allowed. */
    public static ValueType<Integer> wholeNumber(int least, int most) {
        return ValueType.open(
                "number",
                least + " to " + most,
                text -> (int) within(whole(text), least, most, Long::toString));
    }

    /** A size in bytes within a range, both ends allowed. */
    public static ValueType<Long> bytes(String least, String most) {
        return SIZE.between(least, most, bytes -> bytes);
    }

    /** A span of time within a range, both ends allowed. */
    public static ValueType<Duration> duration(String least, String most) {
        return DURATION.between(least, most, Duration::ofNanos);
    }

    /** A size as it is written in a file: {@code 64MiB}. */
    public static String show(long bytes) {
        return SIZE.show(bytes);
    }

    /** A span of time as it is written in a file: {@code 1s}. */
    public static String show(Duration duration) {
        return DURATION.show(duration.toNanos());
    }

    private static BigInteger whole(String text) throws BadValueException {
        if (!WHOLE.matcher(text).matches()) {
            throw new BadValueException("is not a whole number");
        }
        return new BigInteger(text);
    }

    private static long within(BigInteger value, long least, long most, LongFunction<String> show)
            throws BadValueException {
        if (value.compareTo(BigInteger.valueOf(least)) < 0) {
            throw new BadValueException("is too small, the least is " + show.apply(least));
        }
        if (value.compareTo(BigInteger.valueOf(most)) > 0) {
            throw new BadValueException("is too large, the most is " + show.apply(most));
        }
        return value.longValueExact();
    }

    /**
     * A unit.
     *
     * @param spelt a pattern of its other spellings, in lower case
     */
    private record Unit(String name, long factor, String spelt) {}

    /**
     * A quantity that is written as a number with a unit.
     *
     * @param bare the unit that may be left out; empty where none may
     * @param syntax how it is written
     * @param known which units there are
     * @param units the largest first
     */
    private record Measure(
            String name, String bare, String syntax, String known, List<Unit> units) {

        <T> ValueType<T> between(String least, String most, LongFunction<T> value) {
            long low = own(least);
            long high = own(most);
            return ValueType.open(
                    name,
                    least + " to " + most,
                    text -> value.apply(within(parse(text), low, high, this::show)));
        }

        private long own(String text) {
            try {
                return parse(text).longValueExact();
            } catch (BadValueException e) {
                throw new IllegalArgumentException(text, e);
            }
        }

        private BigInteger parse(String text) throws BadValueException {
            Matcher matcher = WITH_UNIT.matcher(text);
            if (!matcher.matches()) {
                throw new BadValueException(
                        "is not a " + name + ": write " + meant(text).orElse(syntax));
            }
            String number = matcher.group(1);
            String unit = matcher.group(2).isEmpty() ? bare : matcher.group(2);
            if (unit.isEmpty()) {
                throw new BadValueException(
                        String.format("has no unit: write %1$sms, %1$ss or %1$sm", number));
            }
            for (Unit one : units) {
                if (one.name.equals(unit)) {
                    return new BigInteger(number).multiply(BigInteger.valueOf(one.factor));
                }
            }
            throw new BadValueException(
                    "has the unknown unit \""
                            + unit
                            + "\": "
                            + meant(text).map(right -> "write " + right).orElse(known));
        }

        /** The right spelling of a number with a unit, if the unit is recognized. */
        private Optional<String> meant(String text) {
            Matcher matcher = LOOSELY.matcher(text);
            if (!matcher.matches()) {
                return Optional.empty();
            }
            String written = matcher.group(2).toLowerCase(Locale.ROOT);
            return units.stream()
                    .filter(unit -> written.matches(unit.spelt))
                    .findFirst()
                    .map(unit -> matcher.group(1) + unit.name);
        }

        private String show(long value) {
            Unit smallest = units.get(units.size() - 1);
            return units.stream()
                    .filter(it -> value == 0 ? it.equals(smallest) : value % it.factor == 0)
                    .findFirst()
                    .map(it -> value / it.factor + (it.name.equals(bare) ? "" : it.name))
                    .orElse(value + "ns");
        }
    }
}
