package dev.envelope.integration.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The program's {@code /status}, read as anybody can read it.
 *
 * <p>Threads: thread-safe.
 */
final class StatusPage {

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final JsonMapper json = JsonMapper.builder().build();
    private final HttpRequest request;

    StatusPage(String url) {
        request = HttpRequest.newBuilder(URI.create(url + "/status")).timeout(PATIENCE).build();
    }

    /** What it says now; empty while it does not answer. */
    Optional<Figures> read() {
        try {
            HttpResponse<String> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                return Optional.empty();
            }
            JsonNode status = json.readTree(answer.body());
            return Optional.of(
                    new Figures(
                            System.nanoTime(),
                            status.at("/totals/records").asLong(),
                            status.at("/totals/rowsWritten").asLong(),
                            status.at("/lag").asLong(),
                            status.at("/oldestUnackedMillis").asLong()));
        } catch (IOException notYet) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
