package dev.envelope.core.position;

import java.time.Instant;

/** Where a topic that the database has never seen is begun. */
public sealed interface StartFrom {

    /** With the first record that is there. */
    record Earliest() implements StartFrom {}

    /** With the first record that comes; resolved once, for all partitions, and recorded. */
    record Latest() implements StartFrom {}

    /** Where the group's commits in Kafka stand: to adopt what another consumer has begun. */
    record Committed() implements StartFrom {}

    /** With the first record of that time or later. */
    record Time(Instant instant) implements StartFrom {}
}
