package dev.envelope.idempotency.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LeadersTest {

    private static final Node BROKER = new Node(1, "localhost", 9092);

    private final Leaders leaders = new Leaders();

    private static TopicDescription topic(String name, @Nullable Node... leaders) {
        return new TopicDescription(
                name,
                false,
                IntStream.range(0, leaders.length)
                        .mapToObj(
                                it ->
                                        new TopicPartitionInfo(
                                                it, leaders[it], List.of(BROKER), List.of()))
                        .toList());
    }

    @Test
    void aTopicWithLeadersIsFound() {
        assertThat(leaders.look(topic("prices", BROKER, BROKER))).isNull();
    }

    @Test
    void atFirstAMissingLeaderIsTheTroubleOfAll() {
        TopicFinder.NotFound problem = leaders.look(topic("prices", BROKER, null));

        assertThat(problem).isNotNull();
        assertThat(problem.isOfTheTopic()).isFalse();
        assertThat(problem.why()).contains("partition 1 of topic prices has no leader");
    }

    @Test
    void inTheLongRunItIsTheTroubleOfItsTopic() {
        for (int i = 0; i < 5; i++) {
            assertThat(look("prices", Node.noNode())).isFalse();
        }
        assertThat(look("prices", Node.noNode())).isTrue();
        assertThat(look("orders", Node.noNode())).isFalse();
        assertThat(leaders.look(topic("prices", BROKER))).isNull();

        assertThat(look("prices", Node.noNode())).isFalse();
    }

    private boolean look(String topic, Node leader) {
        TopicFinder.NotFound problem = leaders.look(topic(topic, leader));
        assertThat(problem).isNotNull();
        return problem.isOfTheTopic();
    }
}
