package dev.envelope.integration.demo.group;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An instance's own HTTP interface, used as anybody can use it.
 *
 * <p>Threads: thread-safe.
 */
final class StatusPage {

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration SKIPPED_WITHIN = Duration.ofSeconds(10);

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final JsonMapper json = JsonMapper.builder().build();
    private final String url;

    StatusPage(String url) {
        this.url = url;
    }

    /** What it says now; empty while it does not answer. */
    Optional<Figures> read() {
        return send(HttpRequest.newBuilder(URI.create(url + "/status")).timeout(PATIENCE).build())
                .filter(answer -> answer.statusCode() == 200)
                .map(answer -> figures(json.readTree(answer.body())));
    }

    /** Has a key's first parked message deleted; empty while it does not answer. */
    Optional<Integer> skip(String key, String token) {
        String path = "/api/parked/skip?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8);
        return send(HttpRequest.newBuilder(URI.create(url + path))
                        .timeout(SKIPPED_WITHIN)
                        .header("Authorization", "Bearer " + token)
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build())
                .map(HttpResponse::statusCode);
    }

    private static Figures figures(JsonNode status) {
        return new Figures(
                status.at("/totals/records").asLong(),
                status.at("/totals/rowsWritten").asLong(),
                status.at("/partitions").size(),
                status.at("/lag").asLong(),
                status.at("/oldestUnackedMillis").asLong());
    }

    private Optional<HttpResponse<String>> send(HttpRequest request) {
        try {
            return Optional.of(client.send(request, HttpResponse.BodyHandlers.ofString()));
        } catch (IOException noAnswer) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
