package dev.envelope.integration.app;

import dev.envelope.app.commands.EnvelopeCommand;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A consumer as a process of its own, with some rows, a key that fails again and again, and a
 * parked message of two others.
 *
 * <p>Threads: one thread.
 */
public final class PoisonedApp implements AutoCloseable {

    public static final String TOKEN = "only-for-this-test";

    private final LocalStack stack;
    private final String topic;
    private final RunningApp app;

    private PoisonedApp(LocalStack stack, String topic, RunningApp app) {
        this.stack = stack;
        this.topic = topic;
        this.app = app;
    }

    /** Starts the process, and sends what it has to deal with. */
    public static PoisonedApp start(LocalStack stack, String topic) {
        stack.topics().create(topic, 4);
        Database database = stack.postgres().createDatabase(topic);
        List<String> lines = Applications.settings(stack, topic, database);
        lines.removeIf(line -> line.startsWith("handler"));
        lines.addAll(
                List.of(
                        "handler=" + StuckFold.class.getName(),
                        "http.token=" + TOKEN,
                        "retry.max.attempts=100000",
                        "retry.backoff.initial=500ms",
                        "retry.backoff.max=1s",
                        "start.timeout=90s"));
        PoisonedApp poisoned =
                new PoisonedApp(stack, topic, RunningApp.start(stack.workspace(), topic, lines));
        poisoned.app.awaitReady();
        poisoned.send();
        return poisoned;
    }

    private void send() {
        List<ProducerRecord<String, String>> records = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            records.add(new ProducerRecord<>(topic, "account-" + i % 97 % (1 + i % 13), "{}"));
        }
        records.add(new ProducerRecord<>(topic, "spoilt-1", "no json"));
        records.add(new ProducerRecord<>(topic, "spoilt-2", "no json"));
        records.add(new ProducerRecord<>(topic, "account-7", "{\"wants\":\"/nowhere/account-7\"}"));
        records.add(new ProducerRecord<>(topic, "account-7", "{}"));
        Applications.produce(stack, records);
    }

    /** Sends these of a key, and waits until they are parked. */
    public void park(String key, String... values) {
        Applications.produceOf(stack, topic, key, values);
        app.await(
                () ->
                        app.get("/api/parked")
                                .body()
                                .contains(
                                        "\"key\":\"%s\",\"messages\":%d"
                                                .formatted(key, values.length)));
    }

    /** Sends this value of so many keys, and waits until all are parked. */
    public void parkEach(String prefix, int keys, String value) {
        Applications.produce(
                stack,
                IntStream.range(0, keys)
                        .mapToObj(i -> new ProducerRecord<>(topic, prefix + i, value))
                        .toList());
        app.await(
                () ->
                        app.get("/api/parked/selected?why=" + value)
                                .body()
                                .contains("\"keys\":" + keys));
    }

    /** Waits until what was parked for this reason is counted, which is done now and then. */
    public void waitForCountOf(String reason) {
        app.await(() -> app.get("/api/parked").body().contains("\"" + reason + "\":"));
    }

    /** Gives a key a row, and has whatever comes of it parked from then on. */
    public void quarantine(String key) {
        Applications.produceOf(stack, topic, key, "{}");
        app.await(() -> app.get("/api/keys?key=" + key).body().contains("\"version\":1"));
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        int code =
                EnvelopeCommand.on(new Terminal(nowhere, nowhere))
                        .execute(
                                "key",
                                "quarantine",
                                key,
                                "-c",
                                stack.workspace()
                                        .folder()
                                        .resolve(topic + ".properties")
                                        .toString());
        if (code != 0) {
            throw new IllegalStateException("it was not put in quarantine: " + code);
        }
    }

    /** Sends a value that can't have a row, and waits until that is written down. */
    public void sendWithoutKey(String value) {
        Applications.produceOf(stack, topic, null, value);
        app.await(() -> app.get("/api/parked").body().contains("\"withoutRow\":{\"null-key\":1"));
    }

    /** Waits until it can be seen that a key is in trouble. */
    public void waitForTrouble() {
        app.await(() -> app.get("/api/stuck").body().contains("no such account"));
    }

    public String url() {
        return app.url();
    }

    @Override
    public void close() {
        app.process().kill();
    }
}
