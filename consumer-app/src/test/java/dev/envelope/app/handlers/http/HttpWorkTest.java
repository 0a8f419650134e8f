package dev.envelope.app.handlers.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.OverRateException;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.RowKey;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.work.NoRetryException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
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
import org.junit.jupiter.api.RepeatedTest;
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
    private int maxRate;

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
                new Target(
                        URI.create("http://127.0.0.1:" + port + "/payments?key=secret"),
                        Duration.ofSeconds(1),
                        "application/json",
                        headers,
                        64,
                        maxRate),
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
        assertThat(seen.headers().getFirst("Envelope-Key")).isEqualTo("k%C3%A4y%20%25");
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
                .isInstanceOf(Server.NotDoneException.class)
                .hasMessageContaining("answered " + answered + ": the pool is empty x")
                .satisfies(it -> assertThat(it.getMessage()).hasSizeLessThan(500));
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 400, 403, 404, 405, 409, 422})
    void theseAreNotTriedAgain(int answered) throws Exception {
        work.run(VALUE, message("the first"));
        requests.clear();
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
                .hasMessageContaining("answered " + answered + "; it is asked again in 1 s");
        assertThat(requests).hasSize(1);

        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(101));
        work.run(VALUE, message("another"));
        assertThat(requests).hasSize(2);
    }

    @Test
    void noMoreRequestsAreSentThanALimitAllowsAndTheOthersAreToldWhen() throws Exception {
        maxRate = 10;
        work = work(server.getAddress().getPort(), Map.of());
        work.run(VALUE, message("a"));
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
        work.run(VALUE, message("b"));

        assertThatThrownBy(() -> work.run(VALUE, message("c")))
                .isInstanceOfSatisfying(
                        OverRateException.class,
                        it -> assertThat(it.askAgainAfter()).isEqualTo(Duration.ofMillis(100)));
        assertThat(requests).hasSize(2);
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
        work.run(VALUE, message("c"));
        assertThat(requests).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {503, 401, 403, 407, 404, 405})
    void aServerThatTakesNothingAndSaysNoTimeIsAskedMoreAndMoreRarely(int answered)
            throws Exception {
        status = answered;
        for (int times = 0; times < 3; times++) {
            assertThatThrownBy(() -> work.run(VALUE, message("k")))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("answered " + answered);
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos((50L << times) - 1));
            assertThatThrownBy(() -> work.run(VALUE, message("another")))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("; it is asked again in 1 s");
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(2));
        }
        status = 204;
        work.run(VALUE, message("k"));

        assertThat(requests).hasSize(4);
    }

    @Test
    void aConnectionThatBreaksIsAFailedAttempt() throws Exception {
        try (BrokenServer broken = new BrokenServer("HTTP/1.1 500 No\r\nContent-Le")) {
            assertThatThrownBy(() -> work(broken.port(), Map.of()).run(VALUE, message("k")))
                    .isInstanceOf(IOException.class);
        }
        try (BrokenServer broken =
                new BrokenServer("HTTP/1.1 422 No\r\nContent-Length: 99\r\n\r\nbad")) {
            assertThatThrownBy(() -> work(broken.port(), Map.of()).run(VALUE, message("k")))
                    .isInstanceOf(NoRetryException.class)
                    .hasMessageContaining("answered 422");
        }
    }

    /** The client sometimes notices that the connection breaks before it hands on the status. */
    @RepeatedTest(50)
    void whatComesBehindAStatusDoesNotCount() throws Exception {
        try (BrokenServer broken =
                new BrokenServer("HTTP/1.1 200 Yes\r\nContent-Length: 99\r\n\r\nta")) {
            work(broken.port(), Map.of()).run(VALUE, message("k"));
        }
    }

    /** Says something, and breaks the connection. Threads: its own. */
    private static final class BrokenServer implements AutoCloseable {

        private final ServerSocket socket;

        BrokenServer(String says) throws IOException {
            socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            Thread thread = new Thread(() -> serve(says), "broken-server");
            thread.setDaemon(true);
            thread.start();
        }

        int port() {
            return socket.getLocalPort();
        }

        private void serve(String says) {
            try (Socket caller = socket.accept()) {
                byte[] some = new byte[8_192];
                String read = "";
                while (!read.contains("cents")) {
                    int count = caller.getInputStream().read(some);
                    read += new String(some, 0, count, StandardCharsets.UTF_8);
                }
                caller.getOutputStream().write(bytes(says));
                caller.getOutputStream().flush();
            } catch (IOException closed) {
                // The test is over.
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void aServerThatIsAwayIsNoFailureOfAMessage() {
        server.stop(0);

        assertThatThrownBy(() -> work.run(VALUE, message("k")))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("/payments can't be reached: ConnectException")
                .hasMessageNotContaining("secret");
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
        assertThatThrownBy(() -> work(1, Map.of("X-Token", "hush\n")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("X-Token")
                .hasMessageNotContaining("hush");
        assertThatCode(() -> work(1, Map.of("X-Tenant", "5"))).doesNotThrowAnyException();
    }
}
