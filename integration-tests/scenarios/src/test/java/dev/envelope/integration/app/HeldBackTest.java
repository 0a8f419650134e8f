package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.commands.EnvelopeCommand;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an operator holds back, over the end of the process that was told of it. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class HeldBackTest {

    private static final String TOPIC = "held-back";

    @Tag("long")
    @Test
    void whatIsPausedStaysSoInTheNextProcessUntilItIsResumedOrItsTimeIsOver(LocalStack stack) {
        stack.topics().create(TOPIC, 2);
        Database database = stack.postgres().createDatabase("held_back");
        List<String> lines = Applications.settings(stack, TOPIC, database);
        lines.add("store.schema=held_back");
        lines.add("http.token=only-for-this-test");
        lines.add("kafka.consumer.session.timeout.ms=3000");
        RunningApp first = RunningApp.start(stack.workspace(), TOPIC, lines);
        first.awaitReady();
        Path settings = stack.workspace().folder().resolve(TOPIC + ".properties");

        assertThat(envelope(settings, "pause", "--key", "held", "--url", first.url()))
                .isEqualTo("paused: held\n");
        assertThat(envelope(settings, "pause", "--key", "short", "--for", "1s"))
                .isEqualTo("paused: short\n");
        first.signal(Signal.KILL);
        first.awaitExit();
        for (String key : List.of("held", "short", "free")) {
            Applications.produceOf(stack, TOPIC, key, "{\"amount\":1}");
        }

        RunningApp second = RunningApp.start(stack.workspace(), TOPIC + "-2", lines);
        second.awaitReady();
        second.await(() -> second.get("/api/keys?key=free").body().contains("\"n\":1"));
        second.await(() -> second.get("/api/keys?key=short").body().contains("\"n\":1"));
        assertThat(second.get("/api/keys?key=held").body())
                .contains("\"row\":null")
                .contains("\"paused\":true");
        assertThat(envelope(settings, "paused"))
                .isEqualTo(envelope(settings, "paused", "--url", second.url()))
                .startsWith("key \"held\"  until it is resumed; by http 127.0.0.1 since ");
        assertThat(envelope(settings, "pause", "held-back-1")).startsWith("paused: held-back-1");
        second.await(
                () -> second.get("/api/partitions").body().contains("an operator has paused it"));
        assertThat(envelope(settings, "resume", "held-back-1")).startsWith("resumed: held-back-1");
        second.await(
                () -> !second.get("/api/partitions").body().contains("an operator has paused it"));
        second.signal(Signal.KILL);
        second.awaitExit();

        assertThat(envelope(settings, "resume", "--key", "held")).isEqualTo("resumed: held\n");
        assertThat(envelope(settings, "resume", "--key", "held")).startsWith("it is not paused");
        assertThat(envelope(settings, "pause", "elsewhere-1")).contains("no such partition");
        assertThat(envelope(settings, "paused")).isEqualTo("nothing is held back\n");

        RunningApp third = RunningApp.start(stack.workspace(), TOPIC + "-3", lines);
        third.await(() -> third.get("/api/keys?key=held").body().contains("\"n\":1"));
        third.signal(Signal.TERM);
        assertThat(third.awaitExit()).isZero();
    }

    private static String envelope(Path settings, String... arguments) {
        StringWriter words = new StringWriter();
        PrintWriter writer = new PrintWriter(words, true);
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("-c", settings.toString()));
        EnvelopeCommand.on(new Terminal(writer, writer)).execute(all.toArray(String[]::new));
        return words.toString();
    }
}
