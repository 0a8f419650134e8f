package dev.envelope.integration.output;

import static dev.envelope.integration.output.TransactionBroker.record;
import static dev.envelope.integration.output.TransactionBroker.send;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE;
import static org.apache.kafka.common.acl.AclOperation.READ;
import static org.apache.kafka.common.acl.AclOperation.WRITE;
import static org.apache.kafka.common.resource.PatternType.LITERAL;
import static org.apache.kafka.common.resource.PatternType.PREFIXED;
import static org.apache.kafka.common.resource.ResourceType.GROUP;
import static org.apache.kafka.common.resource.ResourceType.TOPIC;
import static org.apache.kafka.common.resource.ResourceType.TRANSACTIONAL_ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.output.kafka.AtLeastOnce;
import dev.envelope.idempotency.output.kafka.Brokers;
import dev.envelope.idempotency.output.kafka.ExactlyOnce;
import dev.envelope.idempotency.output.kafka.OutputRights;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which rights outputs need: each that is missing is named with the command that gives it. */
@Tag("cluster")
@ExtendWith(TransactionBroker.OfTheRun.class)
class OutputRightsTest {

    private final TransactionBroker broker;
    private String application = "";
    private String out = "";
    private TopicPartition at = new TopicPartition("", 0);

    OutputRightsTest(TransactionBroker broker) {
        this.broker = broker;
    }

    @BeforeEach
    void makeTopics() {
        application = "app-" + UUID.randomUUID().toString().substring(0, 8);
        at = new TopicPartition(application + "-in", 0);
        out = application + "-out";
        broker.topics().create(at.topic(), 1);
        broker.topics().create(out, 1);
    }

    /** The answer, as its first word and the sentences. */
    private List<String> ask(Brokers brokers) {
        OutputRights.Answer answer =
                new OutputRights(brokers, application, "start", at).ask(List.of(out));
        return switch (answer.finding()) {
            case GRANTED -> List.of("granted");
            case REFUSED -> answer.words();
            case NO_TRANSACTIONS -> List.of("no transactions", answer.why());
            case WAITING -> List.of("waiting", answer.why());
        };
    }

    private void allowAll() {
        broker.allow(TOPIC, at.topic(), LITERAL, READ);
        broker.allow(TOPIC, out, LITERAL, WRITE);
        broker.allow(TRANSACTIONAL_ID, application + "-relay-", PREFIXED, WRITE);
        broker.allow(GROUP, application + "-relay-", PREFIXED, READ);
    }

    private ExactlyOnce restricted() {
        return new ExactlyOnce(broker.restricted(), application, "start", at);
    }

    @Test
    void eachMissingRightIsNamedWithItsCommand() {
        String acls = "kafka-acls.sh --bootstrap-server " + broker.restricted().servers();
        List<String> missing = ask(broker.restricted());
        assertThat(missing).hasSize(4).allSatisfy(it -> assertThat(it).contains(acls + " --add"));
        assertThat(missing.get(0)).contains("--operation Read --topic " + at.topic());
        assertThat(missing.get(1)).contains("--operation Write --topic " + out);
        assertThat(missing.get(2))
                .contains("--operation Write --transactional-id " + application + "-relay- ");
        assertThat(missing.get(3))
                .contains("--operation Read --group " + application + "-relay- ")
                .endsWith("--resource-pattern-type prefixed");

        broker.allow(TOPIC, at.topic(), LITERAL, DESCRIBE); // it can be seen now, and not read
        broker.allow(TRANSACTIONAL_ID, application + "-relay-", PREFIXED, WRITE);
        assertThat(ask(broker.restricted()))
                .containsExactly(missing.get(0), missing.get(1), missing.get(3));

        broker.allow(TOPIC, at.topic(), LITERAL, READ);
        broker.allow(GROUP, application + "-relay-", PREFIXED, READ);
        assertThat(ask(broker.restricted())).containsExactly(missing.get(1));

        broker.allow(TOPIC, out, LITERAL, WRITE);
        assertThat(ask(broker.restricted())).containsExactly("granted");
    }

    @Test
    void aMissingTopicIsNamedAndNotMade() {
        out = out + "-missing";

        assertThat(ask(broker.direct()))
                .singleElement()
                .asString()
                .contains("--create --topic " + out);
        assertThat(broker.topics().describe(out)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(shorts = {2, 0})
    void thoseRightsAreAllThatIsNeeded(short version) {
        broker.transactionVersion(version);
        allowAll();
        try (ExactlyOnce sender = restricted()) {
            sender.open(0);
            assertThat(send(sender, 1, record(out, "k", "a"))).isEmpty();
            assertThat(sender.committed(sender.ids())).hasValue(1);
        }
    }

    @ParameterizedTest
    @ValueSource(shorts = {2, 0})
    void withoutTheRightToWriteTheRecordsOfThatTopicAreRefusedAndTheOthersGoOn(short version) {
        broker.transactionVersion(version);
        allowAll();
        String other = out + "-other";
        broker.topics().create(other, 1);
        broker.allow(TOPIC, other, LITERAL, DESCRIBE); // so that it is found
        try (ExactlyOnce sender = restricted()) {
            sender.open(0);
            for (int i = 0; i < 2; i++) { // one of each producer
                Map<Integer, String> refused =
                        send(
                                sender,
                                1,
                                record(out, "k", "a"),
                                record(other, "k", "a"),
                                record(other, "l", "b"));
                assertThat(refused).containsOnlyKeys(1, 2);
                assertThat(refused.get(1)).contains(other).contains("WRITE");
            }
            assertThat(send(sender, 1, record(out, "k", "b"))).isEmpty();
            await().untilAsserted(() -> assertThat(broker.committed(out)).containsExactly("b"));
        }
    }

    @Test
    void whatCanNotBeOpenedSaysWhichRightIsMissing() {
        try (ExactlyOnce sender = restricted()) {
            assertThatThrownBy(() -> sender.open(0))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("--transactional-id " + application + "-relay-");
            broker.allow(TRANSACTIONAL_ID, application + "-relay-", PREFIXED, WRITE);
            assertThatThrownBy(() -> sender.open(0))
                    .hasMessageContaining("--group " + application + "-relay-");
        }
    }

    @Test
    void withoutTheRightToFenceAtLeastOnceTakesABatchForNotCommitted() {
        try (ExactlyOnce gone = new ExactlyOnce(broker.direct(), application, "gone", at);
                AtLeastOnce sender = new AtLeastOnce(broker.restricted(), application, at)) {
            gone.open(4);
            assertThat(sender.committed(gone.ids())).isEmpty();

            allowAll();
            assertThat(sender.committed(gone.ids())).hasValue(4);
        }
    }

    @Test
    void brokersThatCanNotKeepTransactionsAreToldFromThoseThatAreAway() {
        Map<String, String> three = Map.of("transaction.state.log.replication.factor", "3");
        try (TransactionBroker alone = new TransactionBroker(three)) {
            alone.topics().create(at.topic(), 1);
            alone.topics().create(out, 1);

            assertThat(ask(quick(alone.direct())))
                    .hasSize(2)
                    .startsWith("no transactions")
                    .last()
                    .asString()
                    .contains("transaction.state.log.replication.factor");
            try (AtLeastOnce sender = new AtLeastOnce(alone.direct(), application, at)) {
                assertThat(send(sender, 0, record(out, "k", "a"))).isEmpty();
            }
        }
        assertThat(ask(quick(broker.throughNetwork()))).containsExactly("granted");
    }

    private static Brokers quick(Brokers brokers) {
        Map<String, Object> producer = new HashMap<>(brokers.producer());
        producer.put("max.block.ms", 2_000);
        return new Brokers(producer, brokers.admin(), brokers.servers());
    }
}
