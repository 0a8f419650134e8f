package dev.envelope.core.status;

import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.offset.MessageName;
import java.time.Duration;

/**
 * What a partition's committed offset waits for: the first message of it that is not durable, and
 * what its key is doing.
 *
 * @param forSoLong how long the key has been doing that
 */
public record Holdup(
        PartitionStatus partition, MessageName message, Standing standing, Duration forSoLong) {}
