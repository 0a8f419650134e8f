package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment.Parker;
import dev.envelope.core.offset.Outage;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One poll of the client, and what its exceptions mean: those that name partitions take only these
 * aside, the others are outages that pass.
 *
 * <p>Threads: poll thread only.
 */
final class Fetch {

    private static final Logger log = LoggerFactory.getLogger(Fetch.class);
    private static final long PAUSE_AFTER_ERROR_NANOS = 100_000_000;

    private final Consumer<byte @Nullable [], byte @Nullable []> consumer;
    private final Callbacks callbacks;
    private final Assignment assignment;
    private final Positioning positioning;
    private final Parker parker;
    private final Outage outage = new Outage(log, "polling");

    Fetch(
            Consumer<byte @Nullable [], byte @Nullable []> consumer,
            Callbacks callbacks,
            Assignment assignment,
            Positioning positioning,
            Parker parker) {
        this.consumer = consumer;
        this.callbacks = callbacks;
        this.assignment = assignment;
        this.positioning = positioning;
        this.parker = parker;
    }

    ConsumerRecords<byte @Nullable [], byte @Nullable []> poll(Duration timeout) {
        try {
            ConsumerRecords<byte @Nullable [], byte @Nullable []> records = consumer.poll(timeout);
            callbacks.rethrow();
            outage.over();
            return records;
        } catch (LogTruncationException e) {
            e.divergentOffsets()
                    .forEach((partition, offset) -> truncated(partition, offset.offset()));
        } catch (OffsetOutOfRangeException e) {
            findAnew(e.offsetOutOfRangePartitions().keySet());
        } catch (NoOffsetForPartitionException e) {
            findAnew(e.partitions());
        } catch (InterruptException | FencedInstanceIdException e) {
            throw e;
        } catch (KafkaException e) {
            callbacks.rethrow();
            outage.failed(e);
            parker.park(PAUSE_AFTER_ERROR_NANOS);
        }
        return ConsumerRecords.empty();
    }

    /**
     * The position is not in the log: the finder sees why, and whether there is a policy for it.
     */
    private void findAnew(Collection<TopicPartition> partitions) {
        log.warn("positions of {} are not in the log any more", partitions);
        positioning.beginAnew(Set.copyOf(partitions));
    }

    private void truncated(TopicPartition partition, long offset) {
        assignment
                .get(partition)
                .ifPresent(
                        it ->
                                positioning.stopAside(
                                        it,
                                        "the log was truncated and written anew from offset "
                                                + offset
                                                + " on: what was applied is not what it holds"));
    }
}
