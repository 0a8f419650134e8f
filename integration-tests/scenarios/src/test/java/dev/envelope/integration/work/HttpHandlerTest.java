package dev.envelope.integration.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The program without a database: it posts each message to a server. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class HttpHandlerTest {

    private static final int RECORDS = 2_000;
    private static final int KEYS = 20;
    private static final Pattern VALUE = Pattern.compile("\"value\":(\\d+)");

    @Test
    void eachMessageIsPostedInTheOrderOfItsKeyAndWhatIsRefusedBecomesADeadLetter(LocalStack stack) {
        stack.topics().create("receipts", 3);
        stack.topics().create("receipts-dead", 1);
        produce(stack, "receipts");
        try (Called server = new Called(it -> it.value().equals("5") ? 422 : 204)) {
            RunningApp app =
                    start(stack, "receipts", server, List.of("dead.letter.topic=receipts-dead"));
            app.awaitReady();
            await().atMost(Duration.ofSeconds(60)).until(() -> server.messages() == RECORDS - 1);

            app.await(() -> stack.topics().endOffsets("receipts-dead").containsValue(1L));
            assertThat(app.get("/status").body()).contains("\"deadLettered\":1");
            app.signal(Signal.TERM);
            assertThat(app.awaitExit()).isZero();

            RunningApp again =
                    start(
                            stack,
                            "receipts",
                            server,
                            List.of("dead.letter.topic=receipts-dead", "instance.name=again"));
            again.awaitReady();
            Applications.produce(
                    stack,
                    IntStream.range(0, 3)
                            .mapToObj(it -> new ProducerRecord<>("receipts", it, "last", "9999"))
                            .toList());
            again.await(() -> server.messages() == RECORDS - 1 + 3);
            again.signal(Signal.TERM);
            assertThat(again.awaitExit()).isZero();
            assertThat(server.done()).as("after a clean stop, none again").hasSize(RECORDS - 1 + 3);
            assertThat(areInOrder(server.done())).isTrue();
        }
    }

    @Tag("long")
    @Test
    void aServerThatIsBusyIsWaitedForAndNoAttemptIsCounted(LocalStack stack) {
        stack.topics().create("busy", 3);
        produce(stack, "busy");
        try (Called server = new Called(it -> 503)) {
            RunningApp app = start(stack, "busy", server, List.of("retry.max.attempts=1"));
            app.await(() -> app.get("/api/stuck").body().contains("answered 503"));
            app.await(
                    () ->
                            app.get("/readyz")
                                    .body()
                                    .contains(
                                            "waits for a service that its decoder or its handler"
                                                    + " calls"));

            server.answers(it -> 204);
            await().atMost(Duration.ofSeconds(60)).until(() -> server.messages() == RECORDS);

            app.awaitReady();
            assertThat(areInOrder(server.done())).isTrue();
            app.signal(Signal.TERM);
            assertThat(app.awaitExit()).isZero();
        }
    }

    @Test
    @Tag("long")
    void aMessageThatFailsStopsItsPartitionAndTheOperatorIsToldOfIt(LocalStack stack) {
        stack.topics().create("stopping", 3);
        produce(stack, "stopping");
        try (Called server = new Called(it -> it.value().equals("7") ? 500 : 204)) {
            RunningApp app =
                    start(
                            stack,
                            "stopping",
                            server,
                            List.of("retry.max.attempts=2", "retry.backoff.initial=10ms"));
            app.await(() -> app.get("/api/stuck").body().contains("answered 500"));
            app.await(() -> app.get("/readyz").body().contains("is stopped"));

            assertThat(app.get("/api/pauses").statusCode()).isEqualTo(409);
            assertThat(app.get("/api/pauses").body()).contains("keeps nothing in a database");
            assertThat(app.get("/").statusCode()).isEqualTo(200);
            app.process().kill();
        }
    }

    @Test
    @Tag("long")
    void messagesThatWaitArePostedTogetherAndOneThatIsRefusedIsFoundAmongThem(LocalStack stack)
            throws Exception {
        stack.topics().create("arrays", 3);
        stack.topics().create("arrays-dead", 1);
        produce(stack, "arrays");
        try (Called server = new Called(it -> it.value().contains("\"value\":7}") ? 422 : 204)) {
            RunningApp app =
                    start(
                            stack,
                            "arrays",
                            server,
                            List.of(
                                    "ordering=none",
                                    "batch.max.messages=50",
                                    "dead.letter.topic=arrays-dead",
                                    "handler.http.header.X-Team=billing"));
            await().atMost(Duration.ofSeconds(60)).until(() -> server.done().size() > 1);
            app.await(() -> app.get("/status").body().contains("\"deadLettered\":1"));
            app.await(() -> values(server).size() == RECORDS - 1);

            assertThat(values(server)).hasSize(RECORDS - 1).doesNotContain("7");
            assertThat(server.done()).as("posts").hasSizeLessThan(RECORDS / 4);
            app.signal(Signal.TERM);
            assertThat(app.awaitExit()).isZero();
        }
    }

    /** Of the arrays that the server has taken. */
    private static Set<String> values(Called server) {
        return server.done().stream()
                .flatMap(it -> VALUE.matcher(it.value()).results())
                .map(it -> it.group(1))
                .collect(Collectors.toSet());
    }

    private static RunningApp start(
            LocalStack stack, String name, Called server, List<String> more) {
        List<String> settings =
                new ArrayList<>(
                        List.of(
                                "application.id=" + name,
                                "bootstrap.servers=" + stack.bootstrapServers(),
                                "topics=" + name,
                                "mode=work",
                                "handler=http",
                                "handler.http.url=" + server.url(),
                                "pool.size=8",
                                "http.listen=127.0.0.1:0"));
        settings.addAll(more);
        return RunningApp.start(stack.workspace(), "work-" + name + "-" + more.size(), settings);
    }

    /** The records of key i are i, i + 20, i + 40, and so on. */
    private static boolean areInOrder(List<Called.Call> calls) {
        int[] last = new int[KEYS];
        for (Called.Call call : calls) {
            int number = Integer.parseInt(call.value());
            if (number < last[number % KEYS]) {
                return false;
            }
            last[number % KEYS] = number;
        }
        return true;
    }

    private static void produce(LocalStack stack, String topic) {
        Applications.produce(
                stack,
                IntStream.range(0, RECORDS)
                        .mapToObj(
                                i ->
                                        new ProducerRecord<>(
                                                topic, "key-" + i % KEYS, Integer.toString(i)))
                        .toList());
    }
}
