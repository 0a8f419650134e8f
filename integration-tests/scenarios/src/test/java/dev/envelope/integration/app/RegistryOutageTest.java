package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A schema registry that keys need is away, and then hangs. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class RegistryOutageTest {

    private static final String TOPIC = "registry";
    private static final int KNOWN = 1;
    private static final int EACH = 20;

    private final LocalStack stack;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch end = new CountDownLatch(1);
    private HttpServer registry;
    private volatile Mode mode = Mode.SERVES;

    private enum Mode {
        SERVES,
        IS_AWAY,
        HANGS
    }

    RegistryOutageTest(LocalStack stack) {
        this.stack = stack;
    }

    @BeforeEach
    void serve() throws IOException {
        registry = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        registry.setExecutor(threads);
        registry.createContext("/", this::answer);
        registry.start();
    }

    @AfterEach
    void stop() {
        end.countDown();
        registry.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            while (mode == Mode.HANGS && end.getCount() > 0) {
                if (end.await(50, TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
            exchange.sendResponseHeaders(mode == Mode.IS_AWAY ? 503 : 200, -1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void keysWaitInOrderNothingIsParkedOtherPartitionsFlowAndAllGoesOnByItself() {
        stack.topics().create(TOPIC, 2);
        Database database = stack.postgres().createDatabase(TOPIC);
        RunningApp app = start(database);
        send(0, KNOWN);
        send(1, KNOWN);
        app.await(() -> Applications.counted(database, TOPIC) == 2 * EACH);

        mode = Mode.IS_AWAY;
        send(0, 2);
        send(1, KNOWN);
        app.await(() -> Applications.counted(database, TOPIC) == 3 * EACH);
        app.await(() -> app.get("/readyz").body().contains("can't be decoded"));
        assertThat(app.get("/api/stuck").body())
                .contains("no schema for id 2", "the registry answers 503");

        mode = Mode.HANGS;
        send(0, 3);
        send(1, KNOWN);
        app.await(() -> Applications.counted(database, TOPIC) == 4 * EACH);
        assertThat(app.get("/readyz").statusCode()).isEqualTo(503);
        assertThat(parked(database)).isEqualTo("0");

        mode = Mode.SERVES;
        app.await(() -> Applications.counted(database, TOPIC) == 6 * EACH);
        app.awaitReady();
        assertThat(parked(database)).isEqualTo("0");
        assertThat(app.log()).doesNotContain("attempt 2");
        assertThat(
                        Applications.first(
                                database, "SELECT state::text FROM registry.state WHERE key = '0'"))
                .as("in order")
                .contains("\"last\":3");
        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).isZero();
    }

    private RunningApp start(Database database) {
        List<String> settings = Applications.settings(stack, TOPIC, database);
        settings.addAll(
                List.of(
                        "handler.fold.last=last(/schema)",
                        "key.format=" + RegistryKeys.class.getName(),
                        "key.deserializer.registry.url=http://127.0.0.1:"
                                + registry.getAddress().getPort()));
        RunningApp app = RunningApp.start(stack.workspace(), TOPIC, settings);
        app.awaitReady();
        return app;
    }

    /** Some records of one key for each partition, under this schema. */
    private void send(int partition, int schema) {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", stack.broker().bootstrapServers()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            byte[] value =
                    "{\"amount\":1,\"schema\":%d}"
                            .formatted(schema)
                            .getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < EACH; i++) {
                byte[] key = RegistryKeys.bytes(schema, String.valueOf(partition));
                producer.send(new ProducerRecord<>(TOPIC, partition, key, value));
            }
        }
    }

    private static String parked(Database database) {
        return Applications.first(database, "SELECT count(*) FROM registry.parked");
    }
}
