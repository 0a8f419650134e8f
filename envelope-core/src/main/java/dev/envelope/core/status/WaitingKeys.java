package dev.envelope.core.status;

import dev.envelope.core.api.Doing;
import dev.envelope.core.mailbox.Standing;
import java.time.Duration;

/**
 * Keys that wait for the same kind of thing.
 *
 * @param keys how many
 * @param key the one that waits longest
 * @param standing how that stands
 * @param forSoLong how long it has waited
 */
public record WaitingKeys(
        Doing doing, long keys, String key, Standing standing, Duration forSoLong) {}
