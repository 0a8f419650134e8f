package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("cluster")
@ExtendWith(OneStack.class)
class StuckHandlerTest {

    private static LocalStack stack;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    @Test
    void aHandlerThatNeverReturnsIsInterruptedAndItsMessageIsParked() {
        RunningApp app = start("interrupted");

        send("interrupted", "a", "{\"stuck\":true}");

        app.await(() -> app.get("/status").body().contains("\"parked\":1"));
        assertThat(app.get("/metrics").body()).contains("envelope_handler_timeouts_total 1.0");
        assertThat(app.log())
                .contains("StuckFold at message interrupted-0@0 of key \"a\" has taken longer");
        send("interrupted", "b", "{}");
        app.await(() -> app.get("/status").body().contains("\"records\":1"));
        assertThat(app.get("/readyz").statusCode()).isEqualTo(200);
        app.process().kill();
    }

    @Test
    @Tag("long")
    void aHandlerThatDoesNotHeedTheInterruptIsReplacedUntilThereAreTooManyOfThem() {
        RunningApp app = start("deaf");

        send("deaf", "a", "{\"deaf\":true}");
        app.await(() -> app.get("/status").body().contains("\"workersReplaced\":1"));
        send("deaf", "b", "{}");
        app.await(() -> app.get("/status").body().contains("\"records\":1"));
        assertThat(app.get("/readyz").statusCode()).isEqualTo(200);
        assertThat(app.get("/api/stuck").body())
                .contains("1 handler ignores the interrupt of handler.timeout");
        assertThat(app.log())
                .contains("StuckFold at message deaf-0@0 of key \"a\" ignores the interrupt")
                .contains("StuckFold.apply(StuckFold.java:");

        send("deaf", "c", "{\"deaf\":true}");
        app.await(() -> app.get("/readyz").statusCode() == 503);
        assertThat(app.get("/readyz").body()).contains("2 handlers are stuck");
        assertThat(stack.topics().committed("deaf").values()).noneMatch(it -> it.offset() > 0);
        app.process().kill();
    }

    /** One worker, one attempt, one second for each message. */
    private static RunningApp start(String name) {
        stack.topics().create(name, 1);
        Database database = stack.postgres().createDatabase(name);
        List<String> settings = Applications.settings(stack, name, database);
        settings.removeIf(line -> line.startsWith("handler"));
        settings.addAll(
                List.of(
                        "handler=" + StuckFold.class.getName(),
                        "handler.timeout=1s",
                        "retry.max.attempts=1",
                        "pool.size=1",
                        "start.timeout=90s"));
        RunningApp app = RunningApp.start(stack.workspace(), "app-" + name, settings);
        app.awaitReady();
        return app;
    }

    private static void send(String topic, String key, String value) {
        Applications.produceOf(stack, topic, key, value);
    }
}
