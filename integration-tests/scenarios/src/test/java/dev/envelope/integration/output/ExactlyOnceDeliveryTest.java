package dev.envelope.integration.output;

import static dev.envelope.integration.output.TransactionBroker.get;
import static dev.envelope.integration.output.TransactionBroker.record;
import static dev.envelope.integration.output.TransactionBroker.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.output.OutputSender;
import dev.envelope.idempotency.output.OutputSender.Batch;
import dev.envelope.idempotency.output.OutputSender.Unknown;
import dev.envelope.idempotency.output.kafka.Brokers;
import dev.envelope.idempotency.output.kafka.ExactlyOnce;
import dev.envelope.integration.stack.proxy.NetworkFault;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Batches of outputs on a real broker, with both kinds of transactions that brokers have: a batch
 * and its number are committed together, and after a failure Kafka says which number is.
 */
@Tag("cluster")
@ExtendWith(TransactionBroker.OfTheRun.class)
@ParameterizedClass(name = "transaction.version {0}")
@ValueSource(shorts = {2, 0})
class ExactlyOnceDeliveryTest {

    private static final String LARGE = "x".repeat(5_000);

    @Parameter private short version;

    private final TransactionBroker broker;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private String application = "";
    private String topic = "";
    private TopicPartition at = new TopicPartition("", 0);

    ExactlyOnceDeliveryTest(TransactionBroker broker) {
        this.broker = broker;
    }

    @BeforeEach
    void makeTopics(TestInfo test) {
        broker.transactionVersion(version);
        application = "app-" + UUID.randomUUID().toString().substring(0, 8);
        topic = application + "-out";
        at = new TopicPartition(application + "-in", 0);
        broker.topics().create(at.topic(), 1);
        broker.topics().create(topic, 1, Map.of("max.message.bytes", "2000"));
    }

    @AfterEach
    void close() throws Exception {
        broker.network().heal();
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private ExactlyOnce sender(Brokers brokers) {
        String start = UUID.randomUUID().toString().substring(0, 8);
        ExactlyOnce sender = new ExactlyOnce(brokers, application, start, at);
        opened.add(sender);
        return sender;
    }

    private ExactlyOnce open(long number) {
        ExactlyOnce sender = sender(broker.direct());
        sender.open(number);
        return sender;
    }

    /** A client of another program, which commits numbers of its own. */
    private KafkaProducer<byte[], byte[]> client(String id) {
        Map<String, Object> properties = new HashMap<>(broker.direct().producer());
        properties.put("transactional.id", id);
        KafkaProducer<byte[], byte[]> client =
                new KafkaProducer<>(
                        properties, new ByteArraySerializer(), new ByteArraySerializer());
        opened.add(client);
        client.initTransactions();
        return client;
    }

    private void number(KafkaProducer<byte[], byte[]> client, String group, long number) {
        client.sendOffsetsToTransaction(Map.of(at, new OffsetAndMetadata(number)), members(group));
    }

    @SuppressWarnings("removal")
    private static ConsumerGroupMetadata members(String group) {
        return new ConsumerGroupMetadata(group);
    }

    private Map<TopicPartition, OffsetAndMetadata> stable(
            String group, ListConsumerGroupOffsetsSpec spec) {
        return get(
                broker.admin()
                        .listConsumerGroupOffsets(
                                Map.of(group, spec),
                                new ListConsumerGroupOffsetsOptions().requireStable(true))
                        .partitionsToOffsetAndMetadata(group));
    }

    private void awaitCommitted(String... values) {
        await().untilAsserted(() -> assertThat(broker.committed(topic)).containsExactly(values));
    }

    @Test
    void aBatchAndItsNumberAreCommittedTogether() {
        ExactlyOnce sender = open(0);

        assertThat(send(sender, 1, record(topic, "k", "a"), record(topic, "k", "b"))).isEmpty();
        assertThat(send(sender, 2, record(topic, "k", "c"))).isEmpty();
        assertThat(send(sender, 3, record(topic, "k", "d"))).isEmpty();

        awaitCommitted("a", "b", "c", "d");
        assertThat(sender.committed(sender.ids())).hasValue(3);
    }

    @Test
    void theFirstTransactionOfAnIdCommitsANumberAlone() {
        ExactlyOnce sender = open(41);

        assertThat(sender.ids())
                .hasSize(2)
                .doesNotHaveDuplicates()
                .allMatch(it -> it.startsWith(application + "-relay-"));
        for (String id : sender.ids()) {
            assertThat(broker.topics().committed(id)).hasSize(1);
            assertThat(sender.committed(List.of(id))).hasValue(41);
        }
    }

    @Test
    void whatWasAbortedIsNeverSeenAndTheSameIdsGoOn() {
        ExactlyOnce sender = open(0);
        List<String> ids = sender.ids();
        for (int i = 0; i < 2; i++) { // one of each producer
            Batch batch = sender.begin();
            batch.send(List.of(record(topic, "k", "aborted")));
            int written = i + 1;
            await().until(() -> broker.written(topic).size() >= written);
            batch.abort();
        }

        send(sender, 1, record(topic, "k", "a"));

        awaitCommitted("a");
        assertThat(broker.written(topic)).contains("aborted");
        assertThat(sender.ids()).isEqualTo(ids);
        assertThat(sender.committed(ids)).hasValue(1);
    }

    @Test
    void aNumberThatIsNotFinalYetIsAwaitedAndNotTakenForNone() throws Exception {
        String group = application + "-relay-group";
        KafkaProducer<byte[], byte[]> other = client(application + "-other");
        other.beginTransaction();
        number(other, group, 7);
        ListConsumerGroupOffsetsSpec named =
                new ListConsumerGroupOffsetsSpec().topicPartitions(List.of(at));
        assertThat(stable(group, named)).doesNotContainKey(at); // no error, and no null either
        assertThat(stable(group, new ListConsumerGroupOffsetsSpec())).isEmpty();

        ExactlyOnce sender = sender(broker.direct());
        CompletableFuture<OptionalLong> answer =
                CompletableFuture.supplyAsync(() -> sender.committed(List.of(group)));
        await().until(() -> isFenced(group));
        other.commitTransaction();

        assertThat(answer.get(20, TimeUnit.SECONDS)).hasValue(7);
    }

    /** Whether somebody has taken the id. */
    private boolean isFenced(String id) {
        return get(broker.admin().listTransactions().all()).stream()
                .anyMatch(it -> it.transactionalId().equals(id));
    }

    @Test
    void fencingEndsATransactionThatIsUnderWay() {
        String id = application + "-relay-raw";
        KafkaProducer<byte[], byte[]> zombie = client(id);
        zombie.beginTransaction();
        number(zombie, id, 5);
        zombie.commitTransaction();
        zombie.beginTransaction();
        zombie.send(new ProducerRecord<>(topic, new byte[] {1}));
        number(zombie, id, 6);
        zombie.flush();

        ExactlyOnce resolver = sender(broker.direct());

        assertThat(resolver.committed(List.of(id))).hasValue(5);
        assertThatThrownBy(zombie::commitTransaction).isInstanceOf(ProducerFencedException.class);
        ExactlyOnce next = open(6);
        send(next, 7, record(topic, "k", "a"));
        awaitCommitted("a");
        assertThat(resolver.committed(List.of(id))).hasValue(5);
    }

    @Test
    void anIdThatWasNeverUsedHasNoNumber() {
        assertThat(sender(broker.direct()).committed(List.of(application + "-relay-never")))
                .isEmpty();
    }

    @Test
    void whoeverIsFencedGoesOnUnderNewIds() {
        ExactlyOnce zombie = open(0);
        List<String> ids = zombie.ids();
        Batch underWay = zombie.begin();
        underWay.send(List.of(record(topic, "k", "zombie")));

        assertThat(sender(broker.direct()).committed(ids)).hasValue(0);

        assertThatThrownBy(() -> underWay.commit(1)).isInstanceOf(Unknown.class);
        assertThat(zombie.committed(ids)).hasValue(0);
        zombie.open(0);
        assertThat(zombie.ids()).doesNotContainAnyElementsOf(ids);
        send(zombie, 1, record(topic, "k", "a"));
        awaitCommitted("a");
    }

    @Test
    void aReplyThatIsLostLeavesACommitUnknownAndKafkaKnowsIt() {
        ExactlyOnce sender = sender(broker.throughNetwork());
        sender.open(0);
        Batch batch = sender.begin();
        batch.send(List.of(record(topic, "k", "a")));
        broker.network().inject(new NetworkFault.LoseReply("EndTxn"::equals));

        assertThatThrownBy(() -> batch.commit(1)).isInstanceOf(Unknown.class);

        broker.network().heal();
        assertThat(sender.committed(sender.ids())).hasValue(1);
        awaitCommitted("a");
    }

    @Test
    void aBrokerThatIsSilentBeforeTheCommitHasCommittedNothing() {
        ExactlyOnce sender = sender(broker.throughNetwork());
        sender.open(0);
        Batch batch = sender.begin();
        batch.send(List.of(record(topic, "k", "lost")));
        broker.network().inject(new NetworkFault.BlackHole());

        assertThatThrownBy(() -> batch.commit(1)).isInstanceOf(Unknown.class);
        assertThatThrownBy(sender::begin).isInstanceOf(Unknown.class);
        assertThatThrownBy(() -> sender.open(0)).isInstanceOf(UnavailableException.class);

        broker.network().heal();
        assertThat(sender.committed(sender.ids())).hasValue(0);
        sender.open(0);
        send(sender, 1, record(topic, "k", "a"));
        awaitCommitted("a");
    }

    @Test
    void recordsThatAreTooLargeAreNamedAndTheSameProducersGoOn() {
        broker.topics().create(topic + "-wide", 1);
        ExactlyOnce sender = open(0);
        List<String> ids = sender.ids();
        for (int i = 0; i < 2; i++) { // one of each producer
            Map<Integer, String> refused =
                    send(
                            sender,
                            1,
                            record(topic, "k", "small"),
                            record(topic, "k", LARGE),
                            record(topic + "-wide", "k", LARGE),
                            record(topic, "k", "small"),
                            record(topic, "k", LARGE + LARGE));

            assertThat(refused).containsOnlyKeys(1, 4);
            assertThat(refused.get(1)).contains("raise the topic's max.message.bytes");
        }

        assertThat(send(sender, 1, record(topic, "k", "a"))).isEmpty();
        assertThat(send(sender, 2, record(topic, "k", "b"))).isEmpty();

        awaitCommitted("a", "b");
        assertThat(broker.committed(topic + "-wide")).isEmpty();
        assertThat(sender.ids()).isEqualTo(ids);
        assertThat(sender.committed(ids)).hasValue(2);
    }

    /** The client divides such a batch again and again, until its parts are small enough. */
    @Test
    void aBatchOfTheProducerThatIsTooLargeForItsTopicArrivesInParts() {
        Map<String, Object> producer = new HashMap<>(broker.direct().producer());
        producer.put("linger.ms", 100); // so that records meet in a batch
        ExactlyOnce sender =
                sender(new Brokers(producer, broker.direct().admin(), broker.direct().servers()));
        sender.open(0);
        var fits = record(topic, "k", "x".repeat(900));

        assertThat(send(sender, 1, Collections.nCopies(100, fits))).isEmpty();

        await().untilAsserted(() -> assertThat(broker.committed(topic)).hasSize(100));
        assertThat(sender.committed(sender.ids())).hasValue(1);
    }

    @Test
    void aRecordThatItsTopicDoesNotAllowIsRefusedAlone() {
        broker.topics().create(topic + "-compact", 1, Map.of("cleanup.policy", "compact"));
        ExactlyOnce sender = open(0);

        assertThat(
                        send(
                                sender,
                                1,
                                record(topic, "k", "a"),
                                record(topic + "-compact", "k", "a"),
                                record(topic + "-compact", null, "without a key"),
                                record(topic + "-compact", "k", "b")))
                .containsOnlyKeys(2);
        assertThat(send(sender, 1, record(topic + "-compact", "k", "a"))).isEmpty();
    }

    @Test
    void theRecordsOfAMissingTopicAreRefusedAndItIsNotMade() {
        String missing = topic + "-missing";
        ExactlyOnce sender = open(0);

        Map<Integer, String> refused =
                send(
                        sender,
                        1,
                        record(missing, "k", "a"),
                        record(topic, "k", "a"),
                        record(missing, "l", "b"));

        assertThat(refused).containsOnlyKeys(0, 2);
        assertThat(refused.get(0)).contains("--create --topic " + missing);
        assertThat(broker.topics().describe(missing)).isEmpty();
        assertThat(send(sender, 1, record(topic, "k", "a"))).isEmpty();
        awaitCommitted("a");
    }

    @Test
    void numbersAreLostWithTheTopicTheyWereCommittedFor() {
        ExactlyOnce sender = open(3);
        broker.topics().delete(at.topic());
        await().untilAsserted(
                        () -> assertThat(broker.topics().committed(sender.ids().get(0))).isEmpty());

        assertThat(sender.committed(sender.ids())).isEmpty();

        broker.topics().create(at.topic(), 1);
        assertThat(sender.committed(sender.ids())).isEmpty();
        sender.open(3);
        assertThat(sender.committed(sender.ids())).hasValue(3);
    }

    @Test
    void aNumberThatIsLostUnderOneIdMayHaveBeenTheHighest() throws Exception {
        ExactlyOnce sender = open(3);
        send(sender, 4, record(topic, "k", "a"));
        send(sender, 5, record(topic, "k", "b"));
        List<String> ids = sender.ids();
        sender.close();

        broker.topics().admin().deleteConsumerGroups(List.of(ids.get(0))).all().get();

        OutputSender other = sender(broker.direct());
        assertThat(other.committed(ids)).isEmpty();
        assertThat(other.committed(List.of(ids.get(1)))).isPresent();
    }

    @Test
    void aStartThatReadsOtherTopicsFindsTheNumbersAllTheSame() {
        ExactlyOnce before = open(3);
        send(before, 4, record(topic, "k", "a"));
        at = new TopicPartition(topic, 0);

        assertThat(sender(broker.direct()).committed(before.ids())).hasValue(4);
    }

    @Test
    void batchesOfTwoProducersAreInOrderAndNoneWaitsForTheMarkersOfTheOneBefore() {
        int batches = 200;
        ExactlyOnce sender = open(0);
        List<Long> micros = new ArrayList<>();
        List<String> sent = new ArrayList<>();
        for (int number = 1; number <= batches; number++) {
            int first = number * 20;
            List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records =
                    IntStream.range(first, first + 20)
                            .mapToObj(it -> record(topic, "k", Integer.toString(it)))
                            .toList();
            IntStream.range(first, first + 20).forEach(it -> sent.add(Integer.toString(it)));
            long begin = System.nanoTime();
            Batch batch = sender.begin();
            batch.send(records);
            assertThat(batch.commit(number)).isEmpty();
            micros.add((System.nanoTime() - begin) / 1_000);
        }

        awaitCommitted(sent.toArray(String[]::new));
        micros.sort(null);
        System.out.printf(
                "transaction.version %d: a batch of 20 in %d us (p50), %d us (p99)%n",
                version, micros.get(batches / 2), micros.get(batches * 99 / 100));
        assertThat(micros.get(batches / 2)).isLessThan(1_000_000);
    }
}
