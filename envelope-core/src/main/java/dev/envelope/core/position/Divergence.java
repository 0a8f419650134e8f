package dev.envelope.core.position;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import java.util.Optional;
import org.apache.kafka.common.Uuid;

/**
 * What was seen while reading: the log holds other records than those that were read of it.
 *
 * @param source as which it was read; of another source it says nothing
 * @param topicId of its topic then; of another it says nothing
 * @param cut up to where they are the same, if the broker has said so
 * @param isOld whether it was seen so long ago that every broker shows the topic's present id
 */
public record Divergence(int source, Uuid topicId, Optional<NextOffset> cut, boolean isOld) {

    /** Seen just now. */
    public Divergence(int source, Uuid topicId, Optional<NextOffset> cut) {
        this(source, topicId, cut, false);
    }

    /** The same, some minutes later. */
    public Divergence old() {
        return new Divergence(source, topicId, cut, true);
    }

    boolean isOf(Checkpoints.Source other) {
        return source == other.number() && topicId.equals(other.topicId());
    }
}
