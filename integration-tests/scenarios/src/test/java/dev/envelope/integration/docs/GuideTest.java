package dev.envelope.integration.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.envelope.core.decode.DecodeFault;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Ports;
import java.io.IOException;
import java.net.URLClassLoader;
import java.util.Map;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the guide tells its reader to do, works, and shows what the guide shows. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class GuideTest {

    private static LocalStack stack;
    private static Database database;
    private static @Nullable SchemaRegistry registry;

    @BeforeAll
    static void start(LocalStack shared) throws IOException {
        stack = shared;
        database = stack.postgres().createDatabase("envelope");
    }

    /** Started for the first who asks it. */
    private static SchemaRegistry registry() throws IOException {
        SchemaRegistry started = registry;
        if (started == null) {
            started = SchemaRegistry.start(stack.workspace());
            registry = started;
        }
        started.await();
        return started;
    }

    private static void follow(String name) throws IOException {
        follow(name, Ports.free());
    }

    private static void follow(String name, int registryPort) throws IOException {
        Map<String, String> addresses =
                Map.of(
                        "localhost:9092",
                        stack.broker().bootstrapServers(),
                        "localhost:5432",
                        "127.0.0.1:" + stack.postgres().port(),
                        "localhost:8081",
                        "127.0.0.1:" + registryPort,
                        "localhost:8090",
                        "127.0.0.1:" + Ports.free());
        try (GuidePage page = new GuidePage(name, stack.workspace(), database, addresses)) {
            page.follow();
        }
    }

    @Test
    void aTopicFromZero() throws IOException {
        follow("topic");
    }

    @Test
    @Tag("long")
    void aTableInsteadOfATopic() throws IOException {
        follow("table");
    }

    @Test
    void recordsThatAreEmitted() throws IOException {
        follow("outputs");
    }

    @Test
    void commandsWithAnswers() throws IOException {
        follow("commands");
    }

    @Tag("long")
    @Test
    void avroWithARegistry() throws IOException {
        follow("avro", registry().port());
    }

    @Tag("long")
    @Test
    void protobufWithARegistry() throws IOException {
        follow("protobuf", registry().port());
    }

    @Tag("long")
    @Test
    void jsonSchemaWithARegistry() throws IOException {
        follow("json-schema", registry().port());
    }

    @Test
    @Tag("long")
    void changeEventsOfDebezium() throws IOException {
        follow("debezium");
    }

    @Test
    @Tag("long")
    void settingsFromTheEnvironment() throws IOException {
        follow("containers");
    }

    /** Apicurio's client keeps to itself why it got no answer. */
    @Tag("long")
    @Test
    void aRegistryThatIsAwayIsAnOutageAndOneThatDoesNotKnowAnIdIsUnclear() throws Exception {
        assertThat(faultOfAsking(1)).isEqualTo(DecodeFault.OUTAGE);
        assertThat(faultOfAsking(registry().port())).isEqualTo(DecodeFault.UNCLEAR);
    }

    private static DecodeFault faultOfAsking(int port) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader serdes = new URLClassLoader(GuidePage.serdes(), before)) {
            thread.setContextClassLoader(serdes);
            Class<?> type =
                    serdes.loadClass("io.apicurio.registry.serde.avro.AvroKafkaDeserializer");
            try (Deserializer<?> avro = (Deserializer<?>) type.getConstructor().newInstance()) {
                avro.configure(
                        Map.of(
                                "apicurio.registry.url",
                                "http://127.0.0.1:" + port + "/apis/registry/v2",
                                "apicurio.registry.retry-count",
                                "1"),
                        false);
                byte[] ofSchema77 = {0, 0, 0, 0, 0, 0, 0, 0, 77};
                Throwable thrown = catchThrowable(() -> avro.deserialize("orders", ofSchema77));
                return DecodeFault.of(thrown);
            }
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
