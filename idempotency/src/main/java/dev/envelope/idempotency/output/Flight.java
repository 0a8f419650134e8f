package dev.envelope.idempotency.output;

import dev.envelope.core.api.Words;
import dev.envelope.idempotency.outbox.TopicFinder;
import dev.envelope.idempotency.outbox.TopicFinder.NotFound;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * The records of one batch on their way to Kafka, and which of them it refuses. After the first
 * failure no more are sent.
 *
 * <p>Threads: one thread, the relay's.
 */
final class Flight {

    private final List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records;
    private final List<Future<RecordMetadata>> sent = new ArrayList<>();
    private final Set<String> refusedTopics = new HashSet<>();
    private final Map<Integer, String> refused = new TreeMap<>();
    private @Nullable Throwable trouble;
    private int arrived;

    Flight(List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
        this.records = List.copyOf(records);
    }

    /** Looks up the topics of all records. */
    void find(TopicFinder topics) {
        Set<String> names = new HashSet<>();
        records.forEach(record -> names.add(record.topic()));
        Map<String, NotFound> notFound = topics.find(names);
        notFound.forEach(
                (topic, problem) -> {
                    if (problem.isOfTheTopic()) {
                        refuse(topic, problem.why());
                    } else {
                        trouble = new KafkaException(problem.why());
                    }
                });
    }

    /**
     * Sends the next record. It may block while no broker answers.
     *
     * @return false if something has failed, and nothing more is sent
     */
    boolean sendNext(
            Function<ProducerRecord<byte @Nullable [], byte @Nullable []>, Future<RecordMetadata>>
                    producer) {
        if (trouble != null || !refused.isEmpty()) {
            return false;
        }
        try {
            sent.add(producer.apply(records.get(sent.size())));
        } catch (KafkaException | IllegalStateException e) { // a record before it has failed
            trouble = e;
            return false;
        }
        return !isFailed(sent.get(sent.size() - 1));
    }

    /** Whether a record was sent, or could be, and has failed by now. */
    boolean hasFailed() {
        return trouble != null || !refused.isEmpty() || sent.stream().anyMatch(Flight::isFailed);
    }

    /** Waits for the records that are sent; returns whether all have arrived. */
    boolean await(long mostMillis) {
        try {
            while (arrived < sent.size()) {
                var unused = sent.get(arrived).get(mostMillis, TimeUnit.MILLISECONDS);
                arrived++;
            }
        } catch (ExecutionException e) {
            return false;
        } catch (TimeoutException e) {
            trouble = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            trouble = e;
        }
        return trouble == null;
    }

    /**
     * Why Kafka refuses records, by index, after all have ended; empty if no record is at fault.
     *
     * @param failure what the transaction has ended with; null if there is none
     */
    Map<Integer, String> refused(@Nullable Throwable failure) {
        refuseTopics(failure);
        refuseTopics(trouble);
        for (int i = 0; i < sent.size(); i++) {
            Throwable cause = failureOf(sent.get(i));
            if (cause instanceof RecordTooLargeException
                    || cause instanceof RecordBatchTooLargeException) {
                refuseAsLarge(records.get(i), cause);
            } else if (cause instanceof InvalidTopicException) {
                refuse(records.get(i).topic(), Words.describe(cause));
            } else if (cause instanceof InvalidTimestampException
                    || cause instanceof InvalidRecordException) {
                refused.put(i, Words.describe(cause));
            } else {
                refuseTopics(cause);
            }
        }
        return refused;
    }

    /** What has failed, for a message. */
    String trouble() {
        for (Future<RecordMetadata> each : sent) {
            Throwable failure = failureOf(each);
            if (failure != null) {
                return Words.describeWithCause(failure);
            }
        }
        return trouble == null ? "" : Words.describeWithCause(trouble);
    }

    /** Records of that topic that are as large would be refused, too. */
    private void refuseAsLarge(
            ProducerRecord<byte @Nullable [], byte @Nullable []> tooLarge, Throwable cause) {
        long size = bytes(tooLarge);
        refuse(
                record -> record.topic().equals(tooLarge.topic()) && bytes(record) >= size,
                "a record is too large for its topic: raise the topic's max.message.bytes ("
                        + Words.describe(cause)
                        + ")");
    }

    /** Without the right to write, all records of a topic are refused. */
    private void refuseTopics(@Nullable Throwable problem) {
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (cause instanceof TopicAuthorizationException refusal) {
                for (String topic : refusal.unauthorizedTopics()) {
                    refuse(
                            topic,
                            "the cluster does not let us write to the topic "
                                    + topic
                                    + ": allow WRITE and DESCRIBE on it");
                }
            }
        }
    }

    private void refuse(String topic, String why) {
        if (refusedTopics.add(topic)) {
            refuse(record -> record.topic().equals(topic), why);
        }
    }

    private void refuse(
            Predicate<ProducerRecord<byte @Nullable [], byte @Nullable []>> which, String why) {
        for (int i = 0; i < records.size(); i++) {
            if (which.test(records.get(i))) {
                refused.putIfAbsent(i, why);
            }
        }
    }

    private static boolean isFailed(Future<RecordMetadata> each) {
        return failureOf(each) != null;
    }

    private static @Nullable Throwable failureOf(Future<RecordMetadata> each) {
        if (!each.isDone()) {
            return null;
        }
        try {
            var unused = each.get();
            return null;
        } catch (ExecutionException e) {
            return e.getCause() == null ? e : e.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null; // not known
        }
    }

    /** The size of a record, apart from what all records have. */
    static long bytes(ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
        long bytes = length(record.key()) + length(record.value());
        for (Header header : record.headers()) {
            bytes += header.key().length() + length(header.value());
        }
        return bytes;
    }

    private static long length(byte @Nullable [] bytes) {
        return bytes == null ? 0 : bytes.length;
    }
}
