package dev.envelope.integration.output;

import static org.apache.kafka.common.acl.AclOperation.DESCRIBE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE_CONFIGS;
import static org.apache.kafka.common.acl.AclOperation.WRITE;
import static org.apache.kafka.common.resource.PatternType.LITERAL;
import static org.apache.kafka.common.resource.ResourceType.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.output.kafka.Brokers;
import dev.envelope.idempotency.output.kafka.OutputRights.Answer;
import dev.envelope.idempotency.output.kafka.OutputRights.Finding;
import dev.envelope.idempotency.output.kafka.OwnTopics;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What timers and the gateway need of the application's own topics. */
@Tag("cluster")
@ExtendWith(TransactionBroker.OfTheRun.class)
class OwnTopicsTest {

    private final TransactionBroker broker;
    private final String topic = "timed-" + UUID.randomUUID().toString().substring(0, 8);

    OwnTopicsTest(TransactionBroker broker) {
        this.broker = broker;
    }

    private Answer ask(Brokers brokers) {
        return new OwnTopics(brokers, "app", true).ask(List.of(topic));
    }

    private void lacksTheRightToWrite() {
        Answer answer = ask(broker.restricted());
        assertThat(answer.finding()).isEqualTo(Finding.REFUSED);
        assertThat(answer.why()).contains("kafka-acls.sh", "--operation Write --topic " + topic);
    }

    @Test
    void theMissingRightIsNamedWithItsCommandAlsoIfTheTopicCannotBeSeen() {
        broker.topics().create(topic, 1);

        lacksTheRightToWrite();
        broker.allow(TOPIC, topic, LITERAL, DESCRIBE);
        lacksTheRightToWrite();

        broker.allow(TOPIC, topic, LITERAL, WRITE);
        assertThat(ask(broker.restricted()).finding())
                .as("without the right to see the policy it is taken for right, with a warning")
                .isEqualTo(Finding.GRANTED);
        broker.allow(TOPIC, topic, LITERAL, DESCRIBE_CONFIGS);
        assertThat(ask(broker.restricted()).finding()).isEqualTo(Finding.GRANTED);
    }

    @Test
    void aTopicThatIsCompactedOnlyInPartIsRefusedToo() {
        broker.topics().create(topic, 1, Map.of("cleanup.policy", "compact,delete"));

        assertThat(ask(broker.direct()).finding()).isEqualTo(Finding.REFUSED);
        assertThat(ask(broker.direct()).why()).contains(topic + " is compacted");
    }

    @Test
    void commandsMayBeWrittenToACompactedTopic() {
        broker.topics().create(topic, 1, Map.of("cleanup.policy", "compact"));

        Answer answer = new OwnTopics(broker.direct(), "app", false).ask(List.of(topic));

        assertThat(answer.finding()).isEqualTo(Finding.GRANTED);
    }

    @Test
    void aTopicThatDoesNotExistIsNamed() {
        assertThat(ask(broker.direct()).why()).contains("--create --topic " + topic);
        assertThat(broker.topics().describe(topic)).isEmpty();
    }
}
