package dev.envelope.integration.bench;

import dev.envelope.integration.stack.Topics;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * What an operator does with Kafka's own tool: sends a group back to the start.
 *
 * <p>Threads: immutable.
 */
final class GroupOffsets {

    private GroupOffsets() {}

    static void toStart(Topics topics, String group, String topic)
            throws InterruptedException, IOException {
        Map<TopicPartition, OffsetAndMetadata> starts =
                topics.endOffsets(topic).keySet().stream()
                        .collect(
                                Collectors.toMap(
                                        Function.identity(), it -> new OffsetAndMetadata(0)));
        try {
            topics.admin().alterConsumerGroupOffsets(group, starts).all().get();
        } catch (ExecutionException e) {
            throw new IOException("the group " + group + " could not be sent back", e);
        }
    }
}
