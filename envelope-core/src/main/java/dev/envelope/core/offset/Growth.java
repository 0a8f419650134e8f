package dev.envelope.core.offset;

import java.time.Duration;

/**
 * When a partition came to its topic.
 *
 * @param round 0 if it was there when the topic was first read, then one more each time that some
 *     were added
 * @param settled whether what it brings need not wait for older partitions any more
 * @param age since it was first seen
 */
public record Growth(int round, boolean settled, Duration age) {

    /** There from the start. */
    public static final Growth NONE = new Growth(0, true, Duration.ZERO);
}
