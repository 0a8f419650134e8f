package dev.envelope.integration.soak;

import dev.envelope.integration.stack.Topics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * How a group and its topic stand with the broker, in lines: for whoever has to find out why
 * nothing goes on.
 *
 * <p>Threads: stateless.
 */
final class GroupPicture {

    private GroupPicture() {}

    /** Of a group that has its topic's name. */
    static String of(Topics topics, String name) {
        try {
            return members(topics, name) + offsets(topics, name);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        } catch (ExecutionException | RuntimeException e) {
            return "the broker does not say: " + e;
        }
    }

    private static String members(Topics topics, String name)
            throws ExecutionException, InterruptedException {
        ConsumerGroupDescription group =
                Objects.requireNonNull(
                        topics.admin().describeConsumerGroups(List.of(name)).all().get().get(name));
        return "group %s is %s%n%s"
                .formatted(
                        name,
                        group.groupState(),
                        group.members().stream()
                                .map(GroupPicture::member)
                                .collect(Collectors.joining()));
    }

    private static String member(MemberDescription member) {
        return "  %s has %s%n".formatted(member.clientId(), member.assignment().topicPartitions());
    }

    /** A transaction that hangs holds what can be read below the end. */
    private static String offsets(Topics topics, String topic)
            throws ExecutionException, InterruptedException {
        var committed = topics.committed(topic);
        StringBuilder lines = new StringBuilder();
        var ends = new TreeMap<TopicPartition, Long>(GroupPicture::byNumber);
        ends.putAll(topics.endOffsets(topic));
        for (var end : ends.entrySet()) {
            ListOffsetsResultInfo readable =
                    topics.admin()
                            .listOffsets(
                                    Map.of(end.getKey(), OffsetSpec.latest()),
                                    new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                            .partitionResult(end.getKey())
                            .get();
            lines.append(
                    "  %s committed %s, can be read to %d, ends at %d%n"
                            .formatted(
                                    end.getKey(),
                                    committed.get(end.getKey()),
                                    readable.offset(),
                                    end.getValue()));
        }
        return lines.toString();
    }

    private static int byNumber(TopicPartition one, TopicPartition other) {
        return Integer.compare(one.partition(), other.partition());
    }
}
