package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("cluster")
@ExtendWith(OneStack.class)
class ProcessEndTest {

    private static LocalStack stack;

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    @Test
    void aDrainThatTakesTooLongIsCountedDownAndEndsWith143() {
        RunningApp app = startStuck("slow", "3s");

        app.signal(Signal.TERM);

        assertThat(app.awaitExit()).as(app.log()).isEqualTo(128 + 15);
        assertThat(app.log())
                .contains("SIGTERM: saving what was fetched, for 3 s at most")
                .contains("draining: 1 message to save, 1 s left")
                .contains("not everything was saved within 3 s (shutdown.drain.timeout)");
    }

    @Test
    void aDrainWaitsForAFoldThatTakesLongerThanItsTurn() {
        RunningApp app = startWith("patient", "20s", "{\"takes\":2000}");

        app.signal(Signal.TERM);

        assertThat(app.awaitExit()).isZero();
        assertThat(app.log()).contains("everything fetched was saved");
        assertThat(stack.topics().committed("patient").values()).allMatch(it -> it.offset() == 1);
    }

    @Test
    void aSecondSignalEndsItAtOnce() {
        RunningApp app = startStuck("impatient", "10m");

        app.signal(Signal.TERM);
        app.awaitLine("a second signal ends at once");
        app.signal(Signal.TERM);

        assertThat(app.awaitExit()).isEqualTo(128 + 15);
        assertThat(app.log()).contains("SIGTERM again: ending at once");
    }

    @Tag("long")
    @Test
    void aHangUpChangesNothing() {
        RunningApp app = startStuck("hangup", "1s");

        app.signal(Signal.HUP);
        app.signal(Signal.TERM);

        assertThat(app.awaitExit()).isEqualTo(128 + 15);
    }

    @Test
    void memoryThatRunsOutEndsTheProcessWithACodeOfItsOwnAndWithoutACommit() {
        stack.topics().create("failing", 1);
        RunningApp app = start("failing", "20s");
        app.awaitReady();

        send("failing", "{\"memory\":true}");

        assertThat(app.awaitExit()).isEqualTo(3);
        assertThat(app.log())
                .contains("memory has run out while message failing-0@0 of key \"key\" was being")
                .contains("memory has run out; nothing was committed after it");
        assertThat(stack.topics().committed("failing").values()).noneMatch(it -> it.offset() > 0);
    }

    /** A consumer with a message in its hands that it will never have done. */
    private static RunningApp startStuck(String name, String drainTimeout) {
        return startWith(name, drainTimeout, "{\"stuck\":true}");
    }

    /** A consumer with this message in its hands. */
    private static RunningApp startWith(String name, String drainTimeout, String value) {
        stack.topics().create(name, 1);
        RunningApp app = start(name, drainTimeout);
        app.awaitReady();
        send(name, value);
        app.await(() -> app.get("/status").body().contains("\"inFlight\":1,"));
        return app;
    }

    private static RunningApp start(String name, String drainTimeout) {
        List<String> settings =
                Applications.settings(stack, name, stack.postgres().createDatabase(name));
        settings.removeIf(line -> line.startsWith("handler"));
        settings.add("handler=" + StuckFold.class.getName());
        settings.add("shutdown.drain.timeout=" + drainTimeout);
        return RunningApp.start(stack.workspace(), "app-" + name, settings);
    }

    private static void send(String topic, String value) {
        Applications.produceOf(stack, topic, "key", value);
    }
}
