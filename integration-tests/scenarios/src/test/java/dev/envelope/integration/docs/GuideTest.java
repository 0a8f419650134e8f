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
    private static SchemaRegistry registry;

    @BeforeAll
    static void start(LocalStack shared) throws IOException {
        stack = shared;
        registry = SchemaRegistry.start(stack.workspace());
        database = stack.postgres().createDatabase("envelope");
    }

    private static void follow(String name) throws IOException {
        Map<String, String> addresses =
                Map.of(
                        "localhost:9092",
                        stack.broker().bootstrapServers(),
                        "localhost:5432",
                        "127.0.0.1:" + stack.postgres().port(),
                        "localhost:8081",
                        "127.0.0.1:" + registry.port(),
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

    @Test
    void avroWithARegistry() throws IOException {
        registry.await();
        follow("avro");
    }

    @Tag("long")
    @Test
    void protobufWithARegistry() throws IOException {
        registry.await();
        follow("protobuf");
    }

    @Tag("long")
    @Test
    void jsonSchemaWithARegistry() throws IOException {
        registry.await();
        follow("json-schema");
    }

    @Test
    void changeEventsOfDebezium() throws IOException {
        follow("debezium");
    }

    @Test
    void settingsFromTheEnvironment() throws IOException {
        follow("containers");
    }

    /** Apicurio's client keeps to itself why it got no answer. */
    @Test
    void aRegistryThatIsAwayIsAnOutageAndOneThatDoesNotKnowAnIdIsUnclear() throws Exception {
        registry.await();
        assertThat(faultOfAsking(1)).isEqualTo(DecodeFault.OUTAGE);
        assertThat(faultOfAsking(registry.port())).isEqualTo(DecodeFault.UNCLEAR);
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
