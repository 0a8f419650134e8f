package dev.envelope.app.config.value;

import java.math.BigInteger;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The types of settings that count or measure. */
public final class Quantities {

    private static final Pattern WHOLE = Pattern.compile("-?\\d{1,30}");
    private static final Pattern WITH_UNIT = Pattern.compile("(\\d{1,30})([A-Za-z]*)");
    private static final Pattern LOOSELY = Pattern.compile("(\\d{1,30})\\s*([A-Za-z]+)");
    private static final Map<String, Long> BYTES = new LinkedHashMap<>();
    private static final Map<String, Long> NANOS = new LinkedHashMap<>();

    /** What else people write for a unit of time. */
    private static final Map<String, String> UNITS_IN_WORDS =
            Map.of(
                    "ms", "ms|msecs?|millis|milliseconds?",
                    "s", "s|secs?|seconds?",
                    "m", "m|mins?|minutes?",
                    "h", "h|hrs?|hours?",
                    "d", "d|days?");

    static {
        BYTES.put("GiB", 1L << 30);
        BYTES.put("MiB", 1L << 20);
        BYTES.put("KiB", 1L << 10);
        NANOS.put("d", Duration.ofDays(1).toNanos());
        NANOS.put("h", Duration.ofHours(1).toNanos());
        NANOS.put("m", Duration.ofMinutes(1).toNanos());
        NANOS.put("s", Duration.ofSeconds(1).toNanos());
        NANOS.put("ms", Duration.ofMillis(1).toNanos());
    }

    private Quantities() {}

    /** A whole number between two, both allowed. */
    public static ValueType<Integer> wholeNumber(int least, int most) {
        return ValueType.open(
                "number",
                least + " to " + most,
                text -> (int) within(whole(text), least, most, Quantities::plain));
    }

    /** A size in bytes between two, both allowed. */
    public static ValueType<Long> bytes(String least, String most) {
        long low = size(least);
        long high = size(most);
        return ValueType.open(
                "size",
                least + " to " + most,
                text -> within(parseBytes(text), low, high, Quantities::showBytes));
    }

    /** A span of time between two, both allowed. */
    public static ValueType<Duration> duration(String least, String most) {
        long low = span(least);
        long high = span(most);
        return ValueType.open(
                "duration",
                least + " to " + most,
                text ->
                        Duration.ofNanos(
                                within(parseNanos(text), low, high, Quantities::showNanos)));
    }

    /** A size as it is written in a file: {@code 64MiB}. */
    public static String show(long bytes) {
        return showBytes(bytes);
    }

    /** A span of time as it is written in a file: {@code 1s}. */
    public static String show(Duration duration) {
        return showNanos(duration.toNanos());
    }

    private interface Show {
        String text(long value);
    }

    private static long within(BigInteger value, long least, long most, Show show)
            throws BadValueException {
        if (value.compareTo(BigInteger.valueOf(least)) < 0) {
            throw new BadValueException("is too small, the least is " + show.text(least));
        }
        if (value.compareTo(BigInteger.valueOf(most)) > 0) {
            throw new BadValueException("is too large, the most is " + show.text(most));
        }
        return value.longValueExact();
    }

    private static BigInteger whole(String text) throws BadValueException {
        if (!WHOLE.matcher(text).matches()) {
            throw new BadValueException("is not a whole number");
        }
        return new BigInteger(text);
    }

    private static BigInteger parseBytes(String text) throws BadValueException {
        Matcher matcher = WITH_UNIT.matcher(text);
        if (!matcher.matches()) {
            throw new BadValueException(
                    "is not a size: write "
                            + meant(text, Quantities::sizeUnit)
                                    .orElse("a number of bytes, or a number with KiB, MiB or GiB"));
        }
        String unit = matcher.group(2);
        Long factor = unit.isEmpty() || unit.equals("B") ? Long.valueOf(1) : BYTES.get(unit);
        if (factor == null) {
            throw new BadValueException(
                    "has the unknown unit \""
                            + unit
                            + "\": write "
                            + meant(text, Quantities::sizeUnit).orElse("B, KiB, MiB or GiB"));
        }
        return new BigInteger(matcher.group(1)).multiply(BigInteger.valueOf(factor));
    }

    /** How a number with a unit is spelt here, if it is known what was meant. */
    private static Optional<String> meant(String text, Function<String, Optional<String>> unit) {
        Matcher matcher = LOOSELY.matcher(text);
        return matcher.matches()
                ? unit.apply(matcher.group(2).toLowerCase(Locale.ROOT))
                        .map(right -> matcher.group(1) + right)
                : Optional.empty();
    }

    private static Optional<String> sizeUnit(String written) {
        return written.matches("b|bytes?")
                ? Optional.of("B")
                : BYTES.keySet().stream()
                        .filter(unit -> written.charAt(0) == Character.toLowerCase(unit.charAt(0)))
                        .findFirst();
    }

    private static Optional<String> durationUnit(String written) {
        return UNITS_IN_WORDS.entrySet().stream()
                .filter(unit -> written.matches(unit.getValue()))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private static BigInteger parseNanos(String text) throws BadValueException {
        Matcher matcher = WITH_UNIT.matcher(text);
        if (!matcher.matches()) {
            throw new BadValueException(
                    "is not a duration: write "
                            + meant(text, Quantities::durationUnit)
                                    .orElse(
                                            "a whole number with its unit, such as 250ms, 5s or"
                                                    + " 2m"));
        }
        String number = matcher.group(1);
        String unit = matcher.group(2);
        if (unit.isEmpty()) {
            throw new BadValueException(
                    String.format("has no unit: write %1$sms, %1$ss or %1$sm", number));
        }
        Long factor = NANOS.get(unit);
        if (factor == null) {
            throw new BadValueException(
                    "has the unknown unit \""
                            + unit
                            + "\": "
                            + meant(text, Quantities::durationUnit)
                                    .map(right -> "write " + right)
                                    .orElse("the units are ms, s, m, h and d"));
        }
        return new BigInteger(number).multiply(BigInteger.valueOf(factor));
    }

    private static long size(String text) {
        try {
            return parseBytes(text).longValueExact();
        } catch (BadValueException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    private static long span(String text) {
        try {
            return parseNanos(text).longValueExact();
        } catch (BadValueException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    private static String plain(long value) {
        return Long.toString(value);
    }

    private static String showBytes(long bytes) {
        return inLargestUnit(bytes, BYTES, "");
    }

    private static String showNanos(long nanos) {
        return inLargestUnit(nanos, NANOS, "ns");
    }

    private static String inLargestUnit(long value, Map<String, Long> units, String smallest) {
        return units.entrySet().stream()
                .filter(unit -> value != 0 && value % unit.getValue() == 0)
                .map(unit -> value / unit.getValue() + unit.getKey())
                .findFirst()
                .orElse(value == 0 && !smallest.isEmpty() ? "0ms" : value + smallest);
    }
}
