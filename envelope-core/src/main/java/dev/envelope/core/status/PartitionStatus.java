package dev.envelope.core.status;

import dev.envelope.core.offset.MessageName;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * How a partition stands, for people.
 *
 * @param epoch the number of its present epoch; 0 while its position is being looked for
 * @param position what is fetched next
 * @param firstUnacked everything below is durable
 * @param committed what Kafka was told
 * @param lag records from the first unacked to the end of the log, as far as the client knows; -1
 *     if it does not know
 * @param unacked records fetched and not yet durable
 * @param heldBytes what they are counted with
 * @param oldestUnackedMillis how long the first of them has been here
 * @param pausedBecause why it is not fetched; empty if it is
 * @param outage what it waits for that is away, besides the servers; empty if nothing is
 * @param skipped what was left out for good when it was positioned, and recorded
 * @param stopped whether it needs a person to go on
 * @param firstUnackedMessage what nothing can be committed beyond; null if all that was fetched is
 *     durable
 */
public record PartitionStatus(
        TopicPartition partition,
        long epoch,
        long position,
        long firstUnacked,
        long committed,
        long lag,
        long unacked,
        long heldBytes,
        long oldestUnackedMillis,
        String pausedBecause,
        String outage,
        String skipped,
        boolean stopped,
        @Nullable MessageName firstUnackedMessage) {

    /** Why a partition is paused of which enough was fetched for now: it goes on by itself. */
    public static final String ENOUGH = "enough is in flight";

    /** Whether nothing more of it is fetched, and all that was is durable and committed. */
    public boolean isDrained() {
        boolean isHeld = !pausedBecause.isEmpty() && !pausedBecause.equals(ENOUGH);
        boolean isKnown = epoch > 0 || stopped;
        return isHeld && isKnown && unacked == 0 && committed >= position;
    }

    /** The offset behind the last record that can be read, as far as the client knows; or -1. */
    public long end() {
        return lag < 0 ? -1 : firstUnacked + lag;
    }
}
