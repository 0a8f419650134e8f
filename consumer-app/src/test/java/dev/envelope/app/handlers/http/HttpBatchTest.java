package dev.envelope.app.handlers.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.RowKey;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.work.NoRetryException;
import dev.envelope.idempotency.work.WorkBatch.Item;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a real server, by the real client. */
class HttpBatchTest {

    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final List<String> types = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private HttpBatch batches;
    private volatile int status = 204;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    byte[] body = exchange.getRequestBody().readAllBytes();
                    bodies.add(new String(body, StandardCharsets.UTF_8));
                    types.add(exchange.getRequestHeaders().getFirst("Content-Type"));
                    exchange.sendResponseHeaders(status, -1);
                    exchange.close();
                });
        server.start();
        batches =
                new HttpBatch(
                        new Target(
                                URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
                                Duration.ofSeconds(5),
                                "text/plain",
                                Map.of(),
                                64,
                                0),
                        "receipts",
                        System::nanoTime);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static Item<byte[]> item(
            long offset, @Nullable String key, @Nullable String value, ValueFormat<byte[]> format) {
        byte @Nullable [] keyBytes = bytes(key);
        byte @Nullable [] bytes = bytes(value);
        ConsumerRecord<byte[], byte[]> record =
                new ConsumerRecord<>("orders", 3, offset, keyBytes, bytes);
        if (offset == 7) {
            record.headers().add("ce_id", bytes("42")).add("content-type", bytes("text/html"));
        }
        PartitionEpoch epoch =
                new PartitionEpoch(1, new TopicPartition("orders", 3), 1, new Incarnation("first"));
        Message message = Message.of(epoch, 0, new RowKey("k", keyBytes), record);
        return new Item<>(bytes == null ? null : format.decode(bytes, message), message);
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void messagesAreAnArrayWithTheirIdsAndValues() throws Exception {
        ValueFormat<byte[]> json = HttpBatch.documents();

        batches.run(
                List.of(
                        item(7, "käy", "{\"cents\": 5}", json),
                        item(8, null, "[1]", json),
                        item(9, "a b", null, json)));

        assertThat(bodies)
                .containsExactly(
                        "[{\"id\":\"receipts/orders-3@7\",\"topic\":\"orders\",\"partition\":3,"
                                + "\"offset\":7,\"timestamp\":-1,\"key\":\"k%C3%A4y\","
                                + "\"headers\":{\"ce-id\":\"42\"},\"value\":{\"cents\": 5}},"
                                + "{\"id\":\"receipts/orders-3@8\",\"topic\":\"orders\",\"partition\":3,"
                                + "\"offset\":8,\"timestamp\":-1,\"value\":[1]},"
                                + "{\"id\":\"receipts/orders-3@9\",\"topic\":\"orders\",\"partition\":3,"
                                + "\"offset\":9,\"timestamp\":-1,\"key\":\"a%20b\",\"value\":null,"
                                + "\"tombstone\":true}]");
        assertThat(types).containsExactly("application/json");
    }

    @Test
    void textsBecomeJsonStrings() throws Exception {
        batches.run(List.of(item(8, "k", "say \"no\"\n", HttpBatch.texts())));

        assertThat(bodies.get(0)).contains("\"value\":\"say \\\"no\\\"\\n\"");
    }

    /** It would make the array unreadable, and the others fail with it. */
    @Test
    void whatIsNoJsonIsRefusedBeforeItGetsIntoAnArray() {
        for (String value : List.of("{\"a\":", "1,2", "", "{} {}")) {
            assertThatThrownBy(() -> item(8, "k", value, HttpBatch.documents()))
                    .as(value)
                    .isInstanceOf(MalformedException.class);
        }
    }

    @Test
    void anAnswerIsJudgedAsThatToOneMessage() {
        List<Item<byte[]>> batch = List.of(item(8, "k", "1", HttpBatch.documents()));
        status = 422;
        assertThatThrownBy(() -> batches.run(batch)).isInstanceOf(NoRetryException.class);
        status = 500;
        assertThatThrownBy(() -> batches.run(batch)).isInstanceOf(Server.NotDoneException.class);
        status = 503;
        assertThatThrownBy(() -> batches.run(batch)).isInstanceOf(UnavailableException.class);
    }
}
