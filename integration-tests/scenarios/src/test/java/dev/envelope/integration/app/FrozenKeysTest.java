package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.commands.EnvelopeCommand;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many messages are parked, and nothing is behind: who looks is told so first. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class FrozenKeysTest {

    private static final int KEYS = 8;

    private static String envelope(RunningApp app, int code, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--url", app.url()));
        return execute(code, all);
    }

    private static String bulk(String file, int code, String... arguments) {
        List<String> all = new ArrayList<>(List.of("parked", "bulk"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("-c", file));
        return execute(code, all);
    }

    private static String execute(int code, List<String> arguments) {
        StringWriter words = new StringWriter();
        PrintWriter writer = new PrintWriter(words, true);
        assertThat(
                        EnvelopeCommand.on(new Terminal(writer, writer))
                                .execute(arguments.toArray(String[]::new)))
                .as(words.toString())
                .isEqualTo(code);
        return words.toString();
    }

    @Tag("long")
    @Test
    void keysThatAreFrozenAreToldFirstWhereverOneLooks(LocalStack stack) throws IOException {
        stack.topics().create("frozen", 2);
        Database database = stack.postgres().createDatabase("frozen");
        List<String> settings = Applications.settings(stack, "frozen", database);
        settings.add("ready.max.frozen.keys=" + (KEYS - 1));
        RunningApp app = RunningApp.start(stack.workspace(), "frozen", settings);
        app.awaitReady();
        assertThat(envelope(app, 0, "stuck")).startsWith("nothing is stuck");

        poison(stack, KEYS - 1, 0);
        app.await(() -> envelopeStatus(app).contains(" frozen: "));
        assertThat(envelopeStatus(app))
                .contains("  ! 7 keys are frozen: 14 messages wait for you; first: key \"k")
                .contains("undecodable");
        assertThat(app.get("/readyz").statusCode()).isEqualTo(200);

        poison(stack, KEYS, KEYS - 1);
        app.await(() -> app.get("/readyz").statusCode() == 503);

        assertThat(app.get("/readyz").body())
                .contains("more keys are frozen than ready.max.frozen.keys=7");
        assertThat(envelope(app, 1, "stuck"))
                .startsWith("8 keys are frozen: 16 messages wait for you; first: key \"k");
        assertThat(app.get("/plain").body()).contains("8 keys are frozen: 16 messages wait");
        assertThat(app.get("/metrics").body())
                .contains("envelope_frozen_keys 8.0", "envelope_frozen_messages 16.0");
        assertThat(app.log().lines().filter(it -> it.contains(" is frozen: frozen-")))
                .as("the first; the others are summed up")
                .hasSize(1);
        app.await(() -> app.log().contains("messages read so far was applied"));

        String file = stack.workspace().folder().resolve("frozen.properties").toString();
        assertThat(bulk(file, 0, "redrive", "--all", "--dry-run"))
                .startsWith("8 keys with 16 parked messages; the first:\n  \"k")
                .contains(": undecodable, \"");
        assertThat(bulk(file, 1, "redrive", "--why", "no such reason"))
                .isEqualTo("0 keys with 0 parked messages\n");
        assertThat(bulk(file, 1, "redrive", "--partition", "frozen-0", "--why", "undecodable"))
                .contains("failed again: ", "0 of ", " are not\n");
        List<String> better = List.of("parked", "edit", "k0", "{\"amount\":40}", "-c", file);
        assertThat(execute(0, better)).isEqualTo("replaced its value, redrove 2\n");
        assertThat(envelope(app, 0, "key", "k0")).contains("\"sum\":41");
        assertThat(execute(0, List.of("audit", "k0", "-c", file)))
                .contains("edit \"k0\": replaced its value, redrove 2");

        assertThat(bulk(file, 1, "drop", "--all"))
                .contains("nothing was done: all these messages are deleted; say --yes");
        assertThat(bulk(file, 64, "drop")).contains("which keys? --all, or those");
        Path one = Files.writeString(stack.workspace().folder().resolve("one.keys"), "k2\n");
        assertThat(bulk(file, 0, "skip-failing", "--keys", one.toString(), "--yes"))
                .endsWith("1 of 1 keys are done\n");
        assertThat(envelope(app, 0, "key", "k2")).contains("\"sum\":1");
        assertThat(bulk(file, 0, "drop", "--all", "--yes")).endsWith("6 of 6 keys are done\n");

        app.await(() -> app.get("/readyz").statusCode() == 200);
        app.await(() -> app.get("/metrics").body().contains("envelope_frozen_messages 0.0"));
        assertThat(envelope(app, 0, "stuck")).startsWith("nothing is stuck");
        assertThat(envelope(app, 0, "key", "k1"))
                .containsPattern("asked +drop by .* at 20.*: dropped 2");

        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).isZero();
    }

    private static String envelopeStatus(RunningApp app) {
        return app.get("/readyz").statusCode() == 200
                ? envelope(app, 0, "status", "--once")
                : "not ready";
    }

    private static void poison(LocalStack stack, int keys, int from) {
        List<ProducerRecord<String, String>> records = new ArrayList<>();
        for (int i = from; i < keys; i++) {
            records.add(new ProducerRecord<>("frozen", "k" + i, "no json"));
            records.add(new ProducerRecord<>("frozen", "k" + i, "{\"amount\":1}"));
        }
        Applications.produce(stack, records);
    }
}
