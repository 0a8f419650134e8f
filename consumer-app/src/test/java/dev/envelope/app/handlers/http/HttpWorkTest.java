package dev.envelope.app.handlers.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.RowKey;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.work.NoRetryException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a real server, by the real client. */
class HttpWorkTest {

    private static final byte[] VALUE = "{\"cents\":5}".getBytes(StandardCharsets.UTF_8);

    private record Seen(Headers headers, String body) {}

    private final List<Seen> requests = new CopyOnWriteArrayList<>();
    private final AtomicLong clock = new AtomicLong(-5);
    private HttpServer server;
    private HttpWork work;
    private volatile int status = 204;
    private volatile String answer = "";
    private volatile String retryAfter = "";
    private volatile long delayMillis;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        work = work(server.getAddress().getPort(), Map.of("Authorization", "Bearer 1"));
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private HttpWork work(int port, Map<String, String> headers) {
        return new HttpWork(
                new HttpWork.To(
                        URI.create("http://127.0.0.1:" + port + "/payments"),
                        Duration.ofSeconds(1),
                        "application/json",
                        headers),
                "receipts",
                clock::get);
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        requests.add(
                new Seen(exchange.getRequestHeaders(), new String(body, StandardCharsets.UTF_8)));
        try {
            Thread.sleep(delayMillis); // the slow server that a test asks for
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!retryAfter.isEmpty()) {
            exchange.getResponseHeaders().set("Retry-After", retryAfter);
        }
        byte[] said = answer.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, said.length == 0 ? -1 : said.length);
        exchange.getResponseBody().write(said);
        exchange.close();
    }

    private static Message message(String key) {
        ConsumerRecord<byte[], byte[]> record =
                new ConsumerRecord<>("orders", 0, 7, bytes(key), VALUE);
        record.headers().add("ce_id", bytes("42")).add("traceparent", bytes("00-1-2-01"));
        PartitionEpoch epoch =
                new PartitionEpoch(1, new TopicPartition("orders", 0), 1, new Incarnation("first"));
        return Message.of(epoch, 0, new RowKey(key, bytes(key)), record);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aValueIsPostedWithWhatTellsItsMessage() throws Exception {
        Message message = message("käy %");

        work.run(VALUE, message);
        work.run(VALUE, message);

        assertThat(requests).hasSize(2);
        Seen seen = requests.get(0);
        assertThat(seen.body()).isEqualTo("{\"cents\":5}");
        assertThat(seen.headers().getFirst("Content-Type")).isEqualTo("application/json");
        assertThat(seen.headers().getFirst("Authorization")).isEqualTo("Bearer 1");
        assertThat(seen.headers().getFirst("Envelope-Key")).isEqualTo("k%C3%A4y %25");
        assertThat(seen.headers().getFirst("Envelope-Topic")).isEqualTo(message.topic());
        assertThat(seen.headers().getFirst("Envelope-Offset")).isEqualTo("7");
        assertThat(seen.headers().getFirst("ce-id")).isEqualTo("42");
        assertThat(seen.headers().getFirst("traceparent")).isEqualTo("00-1-2-01");
        assertThat(seen.headers().getFirst("Idempotency-Key"))
                .startsWith("receipts/" + message)
                .isEqualTo(requests.get(1).headers().getFirst("Idempotency-Key"));
    }

    @Test
    void aTombstoneHasNoBody() throws Exception {
        work.run(null, message("k"));

        assertThat(requests.get(0).body()).isEmpty();
        assertThat(requests.get(0).headers().getFirst("Envelope-Tombstone")).isEqualTo("true");
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 425, 500, 502, 504})
    void theseAnswersAreFailedAttempts(int answered) {
        status = answered;
        answer = "the pool is empty " + "x".repeat(100_000);

        assertThatThrownBy(() -> work.run(VALUE, message("k")))
                .isInstanceOf(HttpWork.NotDoneException.class)
                .hasMessageContaining("answered " + answered + ": the pool is empty x")
                .satisfies(it -> assertThat(it.getMessage()).hasSizeLessThan(500));
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 400, 401, 404, 409, 422})
    void theseAreNotTriedAgain(int answered) {
        status = answered;

        assertThatThrownBy(() -> work.run(VALUE, message("k")))
                .isInstanceOf(NoRetryException.class)
                .hasMessageContaining("answered " + answered);
        assertThat(requests).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 503})
    void aBusyServerIsLeftAloneForAsLongAsItSays(int answered) throws Exception {
        status = answered;
        retryAfter = "3";
        assertThatThrownBy(() -> work.run(VALUE, message("k")))
                .isInstanceOf(UnavailableException.class);

        status = 204;
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(2_900));
        assertThatThrownBy(() -> work.run(VALUE, message("another")))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("has asked for a pause, of which 1 s are left");
        assertThat(requests).hasSize(1);

        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(101));
        work.run(VALUE, message("another"));
        assertThat(requests).hasSize(2);
    }

    @Test
    void aBusyServerThatSaysNoTimeIsAskedAgain() {
        status = 503;

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> work.run(VALUE, message("k")))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("answered 503");
        }
        assertThat(requests).hasSize(2);
    }

    @Test
    void aServerThatIsAwayIsNoFailureOfAMessage() {
        server.stop(0);

        assertThatThrownBy(() -> work.run(VALUE, message("k")))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("can't be reached: ConnectException");
    }

    @Test
    void aSlowAnswerIsAFailedAttempt() {
        delayMillis = 1_500;

        assertThatThrownBy(() -> work.run(VALUE, message("k")))
                .isInstanceOf(HttpTimeoutException.class);
    }

    @Test
    void aHeaderThatTheClientSetsItselfIsRefusedAtOnce() {
        assertThatThrownBy(() -> work(1, Map.of("Content-Length", "5")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Content-Length");
        assertThatCode(() -> work(1, Map.of("X-Tenant", "5"))).doesNotThrowAnyException();
    }
}
