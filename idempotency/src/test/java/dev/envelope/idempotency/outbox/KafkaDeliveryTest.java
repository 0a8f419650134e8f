package dev.envelope.idempotency.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.outbox.Delivery.Refusal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** What the relay is told where nothing can be delivered; real brokers are met elsewhere. */
class KafkaDeliveryTest {

    private static final ProducerRecord<byte[], byte[]> RECORD =
            new ProducerRecord<>("dead", new byte[] {1}, new byte[] {2});

    @Test
    void whereNobodyAnswersEveryRecordIsRefusedWithTheServersAndNothingIsThrown()
            throws IOException {
        String nobody;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = "127.0.0.1:" + free.getLocalPort();
        }
        Map<String, Object> properties = Map.of("bootstrap.servers", nobody);
        try (KafkaDelivery delivery = new KafkaDelivery(properties, properties, nobody)) {
            List<Optional<Refusal>> answers = delivery.deliver(List.of(RECORD, RECORD));

            assertThat(answers)
                    .hasSize(2)
                    .allSatisfy(
                            it ->
                                    assertThat(it)
                                            .contains(
                                                    new Refusal(
                                                            "nobody answers at " + nobody, false)));
        }
    }

    @Test
    void aSettingThatTheClientRefusesIsARefusalToo() {
        Map<String, Object> wrong = Map.of("bootstrap.servers", "no port here");
        try (KafkaDelivery delivery = new KafkaDelivery(wrong, wrong, "no port here")) {
            assertThat(delivery.deliver(List.of(RECORD)).get(0).orElseThrow().why())
                    .contains("no port here");
        }
    }

    @Test
    void whereTheBrokerGoesAwayTheFirstSendThatTimesOutIsTheLast() {
        List<Integer> sends = new ArrayList<>();
        List<Optional<Refusal>> answers =
                KafkaDelivery.send(
                        Collections.nCopies(500, RECORD),
                        record -> {
                            sends.add(1);
                            return CompletableFuture.failedFuture(
                                    sends.size() < 3
                                            ? new RecordTooLargeException("too large")
                                            : new TimeoutException("nobody answers"));
                        });

        assertThat(sends).hasSize(3);
        assertThat(answers).hasSize(500);
        assertThat(answers.stream().map(it -> it.orElseThrow().onlyThis()).limit(4))
                .containsExactly(true, true, false, false);
        assertThat(answers.get(499).orElseThrow().why()).contains("nobody answers");
    }

    @Test
    void aMissingTopicCanBeMadeByTypingWhatIsSaid() {
        assertThat(TopicFinder.howToMake("dead", "one:9092"))
                .contains("--bootstrap-server one:9092 --create --topic dead");
    }
}
