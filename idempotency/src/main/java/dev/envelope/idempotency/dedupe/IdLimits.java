package dev.envelope.idempotency.dedupe;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How many recent event ids a key remembers, and for how long.
 *
 * @param count how many ids; a duplicate is found if fewer than this many other ids of the key came
 *     after the first
 * @param age ids older than this are forgotten, measured in record timestamps; null for never
 */
public record IdLimits(int count, @Nullable Duration age) {

    /** The widest window: 190 kB in a row that is written at each save. */
    public static final int MAX_COUNT = 10_000;

    public IdLimits {
        if (count < 1 || count > MAX_COUNT) {
            throw new IllegalArgumentException(
                    "a window holds 1 to " + MAX_COUNT + " ids, not " + count);
        }
        if (age != null && (age.isNegative() || age.isZero())) {
            throw new IllegalArgumentException("an age is positive, not " + age);
        }
    }

    public static IdLimits ofCount(int count) {
        return new IdLimits(count, null);
    }
}
