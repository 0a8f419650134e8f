package dev.envelope.integration.output;

import static org.apache.kafka.common.acl.AclOperation.DESCRIBE;
import static org.apache.kafka.common.acl.AclOperation.WRITE;
import static org.apache.kafka.common.resource.PatternType.LITERAL;
import static org.apache.kafka.common.resource.ResourceType.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.position.KafkaTopicAdmin;
import dev.envelope.idempotency.command.Command;
import dev.envelope.idempotency.command.CommandLog.Put;
import dev.envelope.idempotency.command.TopicsNow;
import dev.envelope.idempotency.command.kafka.KafkaCommandLog;
import dev.envelope.idempotency.output.kafka.Brokers;
import dev.envelope.integration.stack.proxy.NetworkFault.BlackHole;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Commands that are put into a real log. */
@Tag("cluster")
@ExtendWith(TransactionBroker.OfTheRun.class)
class KafkaCommandLogTest {

    private static final String ID = "idempotency-key";

    private final TransactionBroker broker;
    private final String topic = "commands-" + UUID.randomUUID().toString().substring(0, 8);
    private @Nullable Admin admin;
    private @Nullable TopicsNow topics;
    private @Nullable KafkaCommandLog log;

    KafkaCommandLogTest(TransactionBroker broker) {
        this.broker = broker;
    }

    @AfterEach
    void close() {
        broker.network().heal();
        if (log != null) {
            log.close();
        }
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
    }

    private KafkaCommandLog open(Brokers brokers) {
        admin = brokers.ask(3_000);
        TopicsNow seen = new TopicsNow(new KafkaTopicAdmin(admin, "app"), Set.of(topic));
        topics = seen;
        KafkaCommandLog opened = new KafkaCommandLog(brokers.producer(), topic, seen, ID, 4 << 20);
        log = opened;
        look(opened, seen);
        return opened;
    }

    private static void look(KafkaCommandLog log, TopicsNow topics) {
        topics.look();
        log.learn();
    }

    private static Command command(String id, int bytes, Header... headers) {
        byte[] value = new byte[bytes];
        Arrays.fill(value, (byte) 'v');
        return new Command("k", "k".getBytes(StandardCharsets.UTF_8), value, id, List.of(headers));
    }

    private static Put put(KafkaCommandLog log, int partition, Command command) throws Exception {
        CompletableFuture<Put> told = new CompletableFuture<>();
        log.put(partition, command, told::complete);
        return told.get(30, TimeUnit.SECONDS);
    }

    @Test
    void aCommandIsInItsPartitionUnderItsIdWithTheCallersHeaders() throws Exception {
        broker.topics().create(topic, 3);
        KafkaCommandLog opened = open(broker.direct());
        assertThat(opened.trouble()).isEmpty();

        Header of = new RecordHeader("trace", new byte[] {1, 2});
        assertThat(put(opened, 2, command("first", 3, of, new RecordHeader(ID, new byte[1]))))
                .isEqualTo(new Put.Written(0));
        assertThat(put(opened, 2, command("second", 3))).isEqualTo(new Put.Written(1));

        ConsumerRecord<byte[], byte[]> record = broker.records(topic).get(0);
        assertThat(record.partition()).isEqualTo(2);
        assertThat(record.key()).asString(StandardCharsets.UTF_8).isEqualTo("k");
        assertThat(record.value()).asString(StandardCharsets.UTF_8).isEqualTo("vvv");
        assertThat(Arrays.stream(record.headers().toArray()).map(Header::key))
                .containsExactly("trace", ID, "envelope.command");
        for (String name : List.of(ID, "envelope.command")) {
            assertThat(record.headers().lastHeader(name).value())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("first");
        }
    }

    @Test
    void aCommandThatIsTooLargeIsRefusedAndTheNextOneIsNot() throws Exception {
        broker.topics().create(topic, 1, Map.of("max.message.bytes", "1000"));
        KafkaCommandLog opened = open(broker.direct());

        assertThat(put(opened, 0, command("1", 2_000))).isInstanceOf(Put.Refused.class);
        assertThat(put(opened, 0, command("2", 8 << 20))).isInstanceOf(Put.Refused.class);
        assertThat(put(opened, 0, command("3", 20))).isInstanceOf(Put.Written.class);
    }

    @Test
    void aTopicThatDoesNotExistIsNotMade() throws Exception {
        KafkaCommandLog opened = open(broker.direct());

        assertThat(opened.trouble()).contains("the topic " + topic + " does not exist");
        assertThat(broker.topics().describe(topic)).isEmpty();

        broker.topics().create(topic, 1);
        look(opened, Objects.requireNonNull(topics));
        assertThat(opened.trouble()).isEmpty();
        assertThat(put(opened, 0, command("1", 20))).isInstanceOf(Put.Written.class);
    }

    @Test
    void withoutTheRightToWriteNothingIsWritten() throws Exception {
        broker.topics().create(topic, 1);
        broker.allow(TOPIC, topic, LITERAL, DESCRIBE);
        KafkaCommandLog opened = open(broker.restricted());

        assertThat(put(opened, 0, command("1", 20))).isInstanceOf(Put.NotWritten.class);
        assertThat(broker.written(topic)).isEmpty();

        assertThat(opened.trouble().orElse("")).contains("the producer failed");
        broker.allow(TOPIC, topic, LITERAL, WRITE);
        look(opened, Objects.requireNonNull(topics));
        assertThat(put(opened, 0, command("2", 20))).isInstanceOf(Put.Written.class);
    }

    @Test
    void aBrokerThatDoesNotAnswerHoldsUpNobody() throws Exception {
        broker.topics().create(topic, 1);
        KafkaCommandLog opened = open(broker.throughNetwork());
        assertThat(put(opened, 0, command("1", 20))).isInstanceOf(Put.Written.class);

        broker.network().inject(new BlackHole());
        long began = System.nanoTime();
        CompletableFuture<Put> told = new CompletableFuture<>();
        opened.put(0, command("2", 20), told::complete);
        for (int i = 0; i < 10; i++) { // more than the buffer holds
            opened.put(0, command("large", 1_000_000 - 1_000), put -> {});
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));
        Objects.requireNonNull(topics).look();
        assertThat(opened.trouble().orElse("")).contains("the brokers do not answer");
        assertThat(told.get(30, TimeUnit.SECONDS)).isInstanceOf(Put.Unknown.class);

        broker.network().heal();
        look(opened, Objects.requireNonNull(topics));
        assertThat(opened.trouble()).isEmpty();
        assertThat(put(opened, 0, command("3", 20))).isInstanceOf(Put.Written.class);
    }
}
