package dev.envelope.integration.stack;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The topics of a broker: made, changed and deleted so that the next step finds the change done.
 *
 * <p>Threads: thread-safe (the admin client is).
 */
public final class Topics implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Admin admin;

    /** Connects to a broker. */
    public Topics(String bootstrapServers) {
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    }

    /** The client behind it, for what is asked for only once. */
    public Admin admin() {
        return admin;
    }

    /**
     * Makes a topic and waits for the leaders of its partitions, without which a new producer can
     * stall.
     */
    public TopicDescription create(String topic, int partitions) {
        return create(topic, partitions, Map.of());
    }

    /** The same with settings of the topic. */
    public TopicDescription create(String topic, int partitions, Map<String, String> settings) {
        NewTopic wanted = new NewTopic(topic, partitions, (short) 1).configs(settings);
        get(admin.createTopics(List.of(wanted)).all());
        return awaitLeaders(topic, partitions);
    }

    /** Raises the number of partitions to {@code partitions}, and waits for their leaders. */
    public TopicDescription grow(String topic, int partitions) {
        get(admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions))).all());
        return awaitLeaders(topic, partitions);
    }

    /** Deletes a topic, and waits until the broker does not know it any more. */
    public void delete(String topic) {
        get(admin.deleteTopics(List.of(topic)).all());
        await(() -> describe(topic).isEmpty(), "topic " + topic + " is still there");
    }

    /** What the broker says about a topic; empty when it does not know it. */
    public Optional<TopicDescription> describe(String topic) {
        try {
            return Optional.ofNullable(
                    get(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic));
        } catch (UnknownTopicOrPartitionException e) {
            return Optional.empty();
        }
    }

    /** The next offset to be written, by partition. */
    public Map<TopicPartition, Long> endOffsets(String topic) {
        int partitions = describe(topic).orElseThrow().partitions().size();
        Map<TopicPartition, OffsetSpec> wanted =
                IntStream.range(0, partitions)
                        .mapToObj(partition -> new TopicPartition(topic, partition))
                        .collect(Collectors.toMap(Function.identity(), p -> OffsetSpec.latest()));
        Map<TopicPartition, ListOffsetsResultInfo> ends = get(admin.listOffsets(wanted).all());
        return ends.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, end -> end.getValue().offset()));
    }

    /** What a group has committed, by partition; a partition without a commit is missing. */
    public Map<TopicPartition, OffsetAndMetadata> committed(String group) {
        return get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }

    private TopicDescription awaitLeaders(String topic, int partitions) {
        await(
                () -> describe(topic).filter(found -> hasLeaders(found, partitions)).isPresent(),
                "topic " + topic + " has no leader for each of its partitions");
        // The cluster names a leader before the broker knows that it is one. Only who does answers
        // this.
        endOffsets(topic);
        return describe(topic).orElseThrow();
    }

    private static boolean hasLeaders(TopicDescription topic, int partitions) {
        return topic.partitions().size() == partitions
                && topic.partitions().stream()
                        .allMatch(p -> p.leader() != null && !p.leader().isEmpty());
    }

    private static void await(BooleanSupplier condition, String failure) {
        Waiting.until(PATIENCE, PAUSE, condition, () -> failure);
    }

    private static <T> T get(KafkaFuture<T> future) {
        try {
            return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ApiException refused
                    ? refused
                    : new IllegalStateException("the broker cannot be asked", e);
        } catch (TimeoutException e) {
            throw new IllegalStateException("the broker does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
