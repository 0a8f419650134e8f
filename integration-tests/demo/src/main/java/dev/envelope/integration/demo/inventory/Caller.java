package dev.envelope.integration.demo.inventory;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends commands to the gateways of the instances, one after the other, with the same id until one
 * of them has answered; and reads.
 *
 * <p>Threads: thread-safe.
 */
final class Caller {

    private static final Duration WAIT = Duration.ofSeconds(5);
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(8);
    private static final Duration PAUSE = Duration.ofMillis(200);

    /** Where a command is in the log. */
    record Place(String topic, int partition, long offset) {

        @Override
        public String toString() {
            return topic + "-" + partition + "-" + offset;
        }
    }

    record Answer(ItemBook.Event event, Place place) {}

    /** A row, in which all is applied that is before an offset. */
    record Reading(String item, long nextOffset, ItemBook.Row row) {}

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
    CompletableFuture<Answer> send(String item, String command, String body) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        send(item, command, body, answer);
        return answer;
    }

    private void send(String item, String command, String body, CompletableFuture<Answer> answer) {
        HttpRequest request =
                request(item, "/messages?wait=" + WAIT.toSeconds() + "s")
                        .header("Idempotency-Key", command)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
        var unused =
                client.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                        .whenComplete(
                                (response, failure) -> {
                                    if (isBusy(response)) {
                                        repeated.incrementAndGet();
                                        later(() -> send(item, command, body, answer));
                                    } else if (response.statusCode() == 200) {
                                        answer.complete(answer(json.readTree(response.body())));
                                    } else {
                                        answer.completeExceptionally(unexpected(command, response));
                                    }
                                });
    }

    /**
     * The row as any gateway gives it, from the owner's memory or from the database; empty if it
     * could not be read now.
     */
    CompletableFuture<Optional<Reading>> read(String item, Place atLeast) {
        String from = turn.get() % 3 == 0 ? "database" : "owner";
        HttpRequest request =
                request(
                                item,
                                "?at-least=%s&wait=%ds&from=%s"
                                        .formatted(atLeast, WAIT.toSeconds(), from))
                        .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .handle(
                        (response, failure) -> {
                            if (isBusy(response)) {
                                return Optional.empty();
                            }
                            if (response.statusCode() == 200) {
                                return Optional.of(reading(item, json.readTree(response.body())));
                            }
                            throw unexpected(item, response);
                        });
    }

    private HttpRequest.Builder request(String item, String what) {
        String gateway = gateways.get(Math.floorMod(turn.getAndIncrement(), gateways.size()));
        String key = URLEncoder.encode(item, StandardCharsets.UTF_8);
        return HttpRequest.newBuilder(URI.create(gateway + "/v1/entities/" + key + what))
                .timeout(ANSWERED_WITHIN);
    }

    /** Whether nothing was said but that it can be asked again. */
    private static boolean isBusy(@Nullable HttpResponse<String> response) {
        return response == null || response.statusCode() >= 500;
    }

    private static IllegalStateException unexpected(String to, HttpResponse<String> response) {
        return new IllegalStateException(
                "the answer to %s is %d %s".formatted(to, response.statusCode(), response.body()));
    }

    private static Answer answer(JsonNode answer) {
        return new Answer(
                Auditor.event(answer.path("reply")),
                new Place(
                        answer.path("topic").asString(),
                        answer.path("partition").asInt(),
                        answer.path("offset").asLong()));
    }

    private static Reading reading(String item, JsonNode entity) {
        return new Reading(
                item,
                entity.path("marks").path(0).path("nextOffset").asLong(),
                Auditor.row(entity.path("state")));
    }

    private void later(Runnable work) {
        if (!clock.isShutdown()) {
            var unused = clock.schedule(work, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
