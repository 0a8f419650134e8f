package dev.envelope.idempotency.output.kafka;

import dev.envelope.core.api.Words;
import dev.envelope.idempotency.outbox.TopicFinder;
import dev.envelope.idempotency.outbox.TopicFinder.NotFound;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.Callback;
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
 * <p>A record that is larger than all that its topic has taken is alone on its way. So if it is too
 * large, it is known which one is: in a batch of the producer with others it would not be named.
 *
 * <p>Threads: one thread, the relay's; the producer's thread reports what has arrived.
 */
final class Flight {

    private static final long LONGEST_MILLIS = 40_000; // the producer gives up before

    private final List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records;

    /** In the order in which they failed. The first is at fault, the others may only follow. */
    private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();

    private final Semaphore ended = new Semaphore(0);
    private final Map<Integer, String> refused = new TreeMap<>();
    private @Nullable Throwable trouble;
    private int underWay;

    private record Failure(int index, Exception cause) {}

    /** The producer's send method. */
    interface Sender
            extends BiFunction<
                    ProducerRecord<byte @Nullable [], byte @Nullable []>,
                    Callback,
                    Future<RecordMetadata>> {}

    Flight(List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
        this.records = List.copyOf(records);
    }

    /**
     * Looks up the topics of all records; if all are found, sends the records. It may block while
     * no broker answers.
     *
     * @param taken by topic, how large a record it has taken; updated
     */
    void send(TopicFinder topics, Map<String, Long> taken, Sender sender) {
        find(topics);
        for (int i = 0; i < records.size() && !hasFailed(); i++) {
            String topic = records.get(i).topic();
            long bytes = bytes(records.get(i));
            boolean isAlone = bytes > taken.getOrDefault(topic, -1L);
            if (isAlone) {
                mustArrive();
            }
            if (!hasFailed()) {
                send(i, sender);
            }
            if (isAlone && mustArrive()) {
                taken.put(topic, bytes);
            }
        }
    }

    private boolean mustArrive() {
        boolean hasArrived = await();
        if (!hasArrived && !hasFailed()) {
            trouble = new KafkaException("no answer in time");
        }
        return hasArrived;
    }

    private void find(TopicFinder topics) {
        Set<String> names = new HashSet<>();
        records.forEach(record -> names.add(record.topic()));
        Map<String, NotFound> notFound = topics.find(names);
        notFound.forEach(
                (topic, problem) -> {
                    if (problem.isOfTheTopic()) {
                        refuse(record -> record.topic().equals(topic), problem.why());
                    } else {
                        trouble = new KafkaException(problem.why());
                    }
                });
    }

    private void send(int index, Sender sender) {
        try {
            var unused =
                    sender.apply(
                            records.get(index),
                            (metadata, failure) -> {
                                if (failure != null) {
                                    failures.add(new Failure(index, failure));
                                }
                                ended.release();
                            });
            underWay++;
        } catch (KafkaException | IllegalStateException e) { // a record before it has failed
            trouble = e;
        }
    }

    /** Whether something is known to have failed. */
    boolean hasFailed() {
        return trouble != null || !refused.isEmpty() || !failures.isEmpty();
    }

    /** Waits for all records under way; returns whether all that were sent have arrived. */
    boolean await(long mostMillis) {
        try {
            if (!ended.tryAcquire(underWay, mostMillis, TimeUnit.MILLISECONDS)) {
                return false;
            }
            underWay = 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return !hasFailed();
    }

    /** The same for {@link #LONGEST_MILLIS}. */
    boolean await() {
        return await(LONGEST_MILLIS);
    }

    /**
     * Why Kafka refuses records, by index, after all have ended; empty if no record is at fault.
     *
     * @param failure what the transaction has ended with; null if there is none
     */
    Map<Integer, String> refused(@Nullable Throwable failure) {
        refuseTopics(failure);
        refuseTopics(trouble);
        for (Failure each : failures) {
            refuseTopics(each.cause());
            if (refused.isEmpty()) {
                refuse(each.index(), each.cause());
            }
        }
        return refused;
    }

    /** What has failed, for a message. */
    String trouble() {
        Failure first = failures.peek();
        if (first != null) {
            return Words.describeWithCause(first.cause());
        }
        return trouble == null ? "no answer in time" : Words.describeWithCause(trouble);
    }

    /** If the record is at fault, it is refused with all for which the same is true. */
    private void refuse(int index, Throwable cause) {
        ProducerRecord<byte @Nullable [], byte @Nullable []> culprit = records.get(index);
        Predicate<ProducerRecord<byte @Nullable [], byte @Nullable []>> ofTopic =
                record -> record.topic().equals(culprit.topic());
        if (cause instanceof RecordTooLargeException
                || cause instanceof RecordBatchTooLargeException) {
            long bytes = bytes(culprit);
            refuse(
                    ofTopic.and(record -> bytes(record) >= bytes),
                    "a record is too large for its topic: raise the topic's max.message.bytes ("
                            + Words.describe(cause)
                            + ")");
        } else if (cause instanceof InvalidTopicException
                || cause instanceof InvalidTimestampException) {
            refuse(ofTopic, Words.describe(cause));
        } else if (cause instanceof InvalidRecordException && culprit.key() == null) {
            refuse(ofTopic.and(record -> record.key() == null), Words.describe(cause));
        } else if (cause instanceof InvalidRecordException) {
            refused.put(index, Words.describe(cause));
        }
    }

    /** Without the right to write, all records of a topic are refused. */
    private void refuseTopics(@Nullable Throwable problem) {
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (cause instanceof TopicAuthorizationException refusal) {
                for (String topic : refusal.unauthorizedTopics()) {
                    refuse(
                            record -> record.topic().equals(topic),
                            "the cluster does not let us write to the topic "
                                    + topic
                                    + ": allow WRITE and DESCRIBE on it");
                }
            }
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

    /** The size of a record, apart from what all records have. */
    private static long bytes(ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
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
