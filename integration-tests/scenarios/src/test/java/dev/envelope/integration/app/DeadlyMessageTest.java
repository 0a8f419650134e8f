package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("cluster")
@ExtendWith(OneStack.class)
class DeadlyMessageTest {

    private static LocalStack stack;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    @Tag("long")
    @Test
    void theMessageThatKillsTheProcessThreeTimesIsParkedAndTheRestGoesOn() {
        String name = "deadly";
        stack.topics().create(name, 1);
        Database database = stack.postgres().createDatabase(name);
        List<String> settings = Applications.settings(stack, name, database);
        settings.removeIf(line -> line.startsWith("handler"));
        settings.add("handler=" + StuckFold.class.getName());
        settings.add("start.timeout=90s");
        Applications.produce(
                stack,
                List.of(
                        new ProducerRecord<>(name, "good", "{}"),
                        new ProducerRecord<>(name, "bad", "{\"memory\":true}"),
                        new ProducerRecord<>(name, "good", "{}")));
        for (int life = 1; life <= 3; life++) {
            RunningApp app = RunningApp.start(stack.workspace(), name + life, settings);
            assertThat(app.awaitExit()).as(app.log()).isEqualTo(3);
        }

        RunningApp app = RunningApp.start(stack.workspace(), name + "4", settings);

        app.await(() -> app.get("/status").body().contains("\"firstUnacked\":3"));
        assertThat(app.get("/metrics").body())
                .contains("envelope_parked_total{reason=\"killed-process\"} 1.0");
        app.process().kill();
    }
}
