package dev.envelope.integration.output;

import static dev.envelope.integration.output.TransactionBroker.record;
import static dev.envelope.integration.output.TransactionBroker.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.output.OutputSender.Batch;
import dev.envelope.idempotency.output.kafka.AtLeastOnce;
import dev.envelope.idempotency.output.kafka.ExactlyOnce;
import dev.envelope.idempotency.output.kafka.MutedSender;
import dev.envelope.integration.stack.proxy.NetworkFault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Outputs without transactions on a real broker: each arrives, those of a key in order. */
@Tag("cluster")
@ExtendWith(TransactionBroker.OfTheRun.class)
class AtLeastOnceDeliveryTest {

    private static final String LARGE = "x".repeat(5_000);

    private final TransactionBroker broker;
    private String application = "";
    private String topic = "";
    private TopicPartition at = new TopicPartition("", 0);

    AtLeastOnceDeliveryTest(TransactionBroker broker) {
        this.broker = broker;
    }

    @BeforeEach
    void makeTopics() {
        application = "app-" + UUID.randomUUID().toString().substring(0, 8);
        topic = application + "-out";
        at = new TopicPartition(application + "-in", 0);
        broker.topics().create(at.topic(), 1);
        broker.topics().create(topic, 1, Map.of("max.message.bytes", "2000"));
    }

    @AfterEach
    void heal() {
        broker.network().heal();
    }

    private static List<String> numbers(int first, int behind) {
        return IntStream.range(first, behind).mapToObj(it -> String.format("%05d", it)).toList();
    }

    private List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records(
            List<String> values) {
        return values.stream().map(it -> record(topic, "hot", it)).toList();
    }

    @Test
    void manyRecordsOfOneKeyArriveInOrderWithoutARoundTripForEach() {
        try (AtLeastOnce sender = new AtLeastOnce(broker.throughNetwork(), application, at)) {
            assertThat(sender.ids()).isEmpty();
            send(sender, 0, record(topic, "hot", "00000"));
            broker.network()
                    .inject(new NetworkFault.Delay(Duration.ofMillis(10), Duration.ofMillis(5)));
            long begin = System.nanoTime();
            Batch batch = sender.begin();
            batch.send(records(numbers(1, 500)));
            assertThat(batch.commit(0)).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("500 round trips would take 10 seconds")
                    .isLessThan(Duration.ofSeconds(4));
        }
        assertThat(broker.written(topic)).isEqualTo(numbers(0, 500));
    }

    @Test
    void nothingOfAKeyArrivesBehindARecordThatIsTooLarge() {
        try (AtLeastOnce sender = new AtLeastOnce(broker.direct(), application, at)) {
            assertThat(
                            send(
                                    sender,
                                    0,
                                    record(topic, "k", LARGE),
                                    record(topic, "k", "behind"),
                                    record(topic, "k", LARGE)))
                    .containsOnlyKeys(0, 2);
            assertThat(broker.written(topic)).isEmpty();

            assertThat(send(sender, 0, record(topic, "l", "other"))).isEmpty();
            assertThat(broker.written(topic)).containsExactly("other");
        }
    }

    @Test
    void theRecordsOfAMissingTopicAreRefusedAndItIsNotMade() {
        String missing = topic + "-missing";
        try (AtLeastOnce sender = new AtLeastOnce(broker.direct(), application, at)) {
            assertThat(send(sender, 0, record(topic, "k", "a"), record(missing, "k", "a")))
                    .containsOnlyKeys(1);
            assertThat(broker.topics().describe(missing)).isEmpty();
        }
    }

    @Test
    void whileNobodyAnswersNoRecordIsAtFaultAndAllArriveAfterwards() {
        try (AtLeastOnce sender = new AtLeastOnce(broker.throughNetwork(), application, at)) {
            send(sender, 0, record(topic, "k", "00000"));
            broker.network().inject(new NetworkFault.BlackHole());
            Batch batch = sender.begin();
            batch.send(records(numbers(1, 100)));
            assertThatThrownBy(() -> batch.commit(0)).isInstanceOf(UnavailableException.class);

            broker.network().heal();
            Batch again = sender.begin();
            again.send(records(numbers(1, 100)));
            assertThat(again.commit(0)).isEmpty();
        }
        assertThat(broker.written(topic).stream().distinct().toList()).isEqualTo(numbers(0, 100));
    }

    @Test
    void aMutedSenderSendsNothingAndTellsWhatOthersHaveCommitted() {
        try (ExactlyOnce gone = new ExactlyOnce(broker.direct(), application, "gone", at);
                MutedSender muted = new MutedSender(broker.direct(), application, at)) {
            gone.open(0);
            send(gone, 1, record(topic, "k", "a"));

            assertThat(send(muted, 0, record(topic, "k", "b"))).isEmpty();
            assertThat(muted.ids()).isEmpty();
            assertThat(muted.committed(gone.ids())).hasValue(1);
            assertThat(broker.written(topic)).containsExactly("a");
        }
    }
}
