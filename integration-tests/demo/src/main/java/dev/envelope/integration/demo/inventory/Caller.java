package dev.envelope.integration.demo.inventory;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends commands to the gateways of the instances, one after the other, with the same id until one
 * of them has answered.
 *
 * <p>Threads: thread-safe.
 */
final class Caller {

    private static final Duration WAIT = Duration.ofSeconds(5);
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(8);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final JsonMapper json = JsonMapper.builder().build();
    private final HttpClient client;
    private final List<String> gateways;
    private final ScheduledExecutorService clock;
    private final AtomicInteger turn = new AtomicInteger();
    private final AtomicLong repeated = new AtomicLong();

    /**
     * @param gateways their addresses
     * @param clock runs what comes after an answer, too
     */
    Caller(List<String> gateways, ScheduledExecutorService clock) {
        this.gateways = gateways;
        this.clock = clock;
        this.client =
                HttpClient.newBuilder()
                        .connectTimeout(Duration.ofSeconds(2))
                        .executor(clock)
                        .build();
    }

    /** How often a command was sent again. */
    long repeated() {
        return repeated.get();
    }

    /** The answer of the handler; fails if a gateway says that there will be none. */
    CompletableFuture<ItemBook.Event> send(String item, String command, String body) {
        CompletableFuture<ItemBook.Event> answer = new CompletableFuture<>();
        send(item, command, body, answer);
        return answer;
    }

    private void send(
            String item, String command, String body, CompletableFuture<ItemBook.Event> answer) {
        String gateway = gateways.get(Math.floorMod(turn.getAndIncrement(), gateways.size()));
        HttpRequest request =
                HttpRequest.newBuilder(
                                URI.create(
                                        "%s/v1/entities/%s/messages?wait=%ds"
                                                .formatted(
                                                        gateway,
                                                        URLEncoder.encode(
                                                                item, StandardCharsets.UTF_8),
                                                        WAIT.toSeconds())))
                        .timeout(ANSWERED_WITHIN)
                        .header("Idempotency-Key", command)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
        var unused =
                client.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                        .whenComplete(
                                (response, failure) -> {
                                    if (response != null && response.statusCode() == 200) {
                                        answer.complete(answer(response.body()));
                                    } else if (response != null && response.statusCode() < 500) {
                                        answer.completeExceptionally(
                                                new IllegalStateException(
                                                        "the answer to %s is %d %s"
                                                                .formatted(
                                                                        command,
                                                                        response.statusCode(),
                                                                        response.body())));
                                    } else {
                                        repeated.incrementAndGet();
                                        later(() -> send(item, command, body, answer));
                                    }
                                });
    }

    private ItemBook.Event answer(String body) {
        JsonNode answer = json.readTree(body);
        return Auditor.event(answer.path("reply"));
    }

    private void later(Runnable work) {
        if (!clock.isShutdown()) {
            var unused = clock.schedule(work, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
