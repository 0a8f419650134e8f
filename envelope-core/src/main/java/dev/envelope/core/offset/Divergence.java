package dev.envelope.core.offset;

import dev.envelope.core.api.NextOffset;
import java.util.Optional;
import org.apache.kafka.common.Uuid;

/**
 * What was seen while reading: the log holds other records than those that were read of it.
 *
 * <p>Threads: immutable.
 *
 * @param topicId under which that was seen; of a log of another id it says nothing
 * @param cut up to where they are the same, if the broker has said so
 */
public record Divergence(Uuid topicId, Optional<NextOffset> cut) {}
