package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.util.Collections;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Records without a key that are to have rows all the same. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class NullKeysTest {

    private static LocalStack stack;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    private static RunningApp run(String name, Database database, String... settings) {
        List<String> all = Applications.settings(stack, name, database);
        Collections.addAll(all, settings);
        return RunningApp.start(stack.workspace(), name, all);
    }

    private static void produce(String topic, int partition, int records) {
        Applications.produce(
                stack,
                Collections.nCopies(
                        records, new ProducerRecord<>(topic, partition, null, "{\"amount\":1}")));
    }

    @Tag("long")
    @Test
    void spreadTheyCountOnceThoughTheProcessIsKilledAndAnotherSpreadIsRefused() {
        stack.topics().create("marks", 2);
        Database database = stack.postgres().createDatabase("marks");
        String sum = "SELECT sum((state->>'sum')::int) FROM marks.state";
        String[] spread = {
            "on.null.key=spread",
            "null.key.spread=8",
            "commit.interval=1m",
            "kafka.consumer.session.timeout.ms=1500",
            "kafka.consumer.heartbeat.interval.ms=300"
        };
        RunningApp app = run("marks", database, spread);
        produce("marks", 0, 300);
        produce("marks", 1, 200);
        app.await(() -> "500".equals(Applications.first(database, sum)));
        app.process().kill(); // nothing was committed: all of it is read again
        produce("marks", 1, 1);

        RunningApp again = run("marks", database, spread);
        again.await(() -> "501".equals(Applications.first(database, sum)));
        assertThat(Applications.first(database, "SELECT count(*) FROM marks.state")).isEqualTo("8");
        again.signal(Signal.TERM);
        assertThat(again.awaitExit()).isZero();

        RunningApp other = run("marks", database, "on.null.key=spread", "null.key.spread=9");
        assertThat(other.awaitExit()).isEqualTo(78);
        assertThat(other.log()).contains("null.key.spread=8");
    }
}
