package dev.envelope.idempotency.output.kafka;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/**
 * Ends what is in flight under transactional ids, and reads the last numbers that were committed
 * under them.
 */
final class OutputFence {

    private static final int ANSWER_MILLIS = 15_000;
    private static final int PAUSE_MILLIS = 20;
    private static final int MOST_LOOKS = 500;

    private final Brokers brokers;
    private final Acls acls;
    private final @Nullable TopicPartition at;

    /** The brokers do not let us, or can't. Asking again does not help. */
    static final class NotAllowed extends UnavailableException {

        private static final long serialVersionUID = 1L;

        NotAllowed(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * @param at the partition for which this application commits numbers; null if it is not known
     */
    OutputFence(Brokers brokers, String applicationId, @Nullable TopicPartition at) {
        this.brokers = brokers;
        this.acls = new Acls(brokers.servers(), applicationId);
        this.at = at;
    }

    /**
     * The highest number that was committed under any of the ids, after they were fenced; empty if
     * Kafka has lost that of one of them, since it may have been the highest.
     */
    OptionalLong committed(List<String> ids) {
        if (ids.isEmpty()) {
            return OptionalLong.empty();
        }
        Admin admin;
        try {
            admin = brokers.ask(ANSWER_MILLIS);
        } catch (KafkaException e) {
            throw new UnavailableException(Words.describeWithCause(e), e);
        }
        try {
            // Waits until a transaction that is under way is aborted, or its commit is complete.
            var unused = answer(admin.fenceProducers(ids).all());
            long highest = Long.MIN_VALUE;
            for (String id : ids) {
                OptionalLong number = number(admin, id);
                if (number.isEmpty()) {
                    return number;
                }
                highest = Math.max(highest, number.getAsLong());
            }
            return OptionalLong.of(highest);
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    /** The same; without the right to fence, it counts as lost: batches may be sent again. */
    OptionalLong committedIfAllowed(List<String> ids) {
        try {
            return committed(ids);
        } catch (NotAllowed e) {
            return OptionalLong.empty();
        }
    }

    private OptionalLong number(Admin admin, String id) {
        OptionalLong number = at == null ? OptionalLong.empty() : highest(stable(admin, id, at));
        return number.isPresent() ? number : highest(ofAnyTopic(admin, id));
    }

    private static OptionalLong highest(Collection<OffsetAndMetadata> offsets) {
        return offsets.stream().filter(Objects::nonNull).mapToLong(OffsetAndMetadata::offset).max();
    }

    /**
     * The offset, when it is final. A partition with an offset that is not final yet is left out of
     * the answer, without an error; a partition that has none is there, without a value. The
     * partition is named, since otherwise one without any final offset would look like one that has
     * none.
     */
    private Collection<OffsetAndMetadata> stable(Admin admin, String id, TopicPartition partition) {
        ListConsumerGroupOffsetsSpec spec =
                new ListConsumerGroupOffsetsSpec().topicPartitions(List.of(partition));
        for (int looks = 0; looks < MOST_LOOKS; looks++) {
            Map<TopicPartition, OffsetAndMetadata> offsets = offsets(admin, id, spec);
            if (offsets.containsKey(partition)) {
                return offsets.values();
            }
            pause();
        }
        throw new UnavailableException(
                "the last number of " + id + " is not final yet, or we may not read it");
    }

    /** An earlier start may have had another topic for its numbers. */
    private Collection<OffsetAndMetadata> ofAnyTopic(Admin admin, String id) {
        return offsets(admin, id, new ListConsumerGroupOffsetsSpec()).values();
    }

    private Map<TopicPartition, OffsetAndMetadata> offsets(
            Admin admin, String id, ListConsumerGroupOffsetsSpec spec) {
        return answer(
                admin.listConsumerGroupOffsets(
                                Map.of(id, spec),
                                new ListConsumerGroupOffsetsOptions().requireStable(true))
                        .partitionsToOffsetAndMetadata(id));
    }

    private <T> T answer(KafkaFuture<T> future) {
        try {
            return future.get(2L * ANSWER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String right = acls.missing(cause);
            String why = right == null ? Words.describeWithCause(cause) : right;
            throw cause instanceof AuthorizationException
                            || cause instanceof UnsupportedVersionException
                    ? new NotAllowed(why, cause)
                    : new UnavailableException(why, cause);
        } catch (TimeoutException e) {
            throw new UnavailableException("nobody answers at " + brokers.servers(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted", e);
        }
    }

    private static void pause() {
        try {
            var unused = new CountDownLatch(1).await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted", e);
        }
    }
}
