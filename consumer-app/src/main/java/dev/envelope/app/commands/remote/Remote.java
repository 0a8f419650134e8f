package dev.envelope.app.commands.remote;

import dev.envelope.app.config.value.Secret;
import dev.envelope.app.ops.http.OperationsServer;
import dev.envelope.app.start.RefusedStartException;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.core.api.Words;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A client of a running process's HTTP API.
 *
 * <p>Threads: one thread.
 */
public final class Remote {

    private static final JsonMapper MAPPER = JsonMapper.shared();
    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final Duration ANSWER = Duration.ofSeconds(15);

    private final URI url;
    private final Optional<Secret> token;
    private final HttpClient http = HttpClient.newBuilder().connectTimeout(CONNECT).build();

    Remote(URI url, Optional<Secret> token) {
        this.url = url;
        this.token = token;
    }

    /** An answer; {@code isThere} is false for a 404. */
    public record Answer(boolean isThere, JsonNode json) {}

    public Answer get(String path) {
        return send("GET", path);
    }

    public Answer post(String path) {
        return send("POST", path);
    }

    /** The body of an answer that is not JSON. */
    public String text(String path) {
        HttpResponse<String> answer = exchange(request("GET", path));
        if (answer.statusCode() != 200) {
            throw new UnreachableException(
                    "%s answers %d: %s".formatted(url, answer.statusCode(), said(answer)));
        }
        return answer.body();
    }

    /** A text, encoded for a query. */
    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private HttpRequest request(String method, String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(url.resolve(path))
                        .timeout(ANSWER)
                        .method(method, HttpRequest.BodyPublishers.noBody());
        token.ifPresent(it -> request.header("Authorization", "Bearer " + it.reveal()));
        return request.build();
    }

    private Answer send(String method, String path) {
        HttpResponse<String> answer = exchange(request(method, path));
        if (answer.statusCode() < 500
                && answer.headers().firstValue(OperationsServer.MARK).isEmpty()) {
            throw new UnreachableException(
                    "what answers at %s is no envelope; it says %d to %s"
                            .formatted(url, answer.statusCode(), path));
        }
        return switch (answer.statusCode()) {
            case 200, 202 -> new Answer(true, json(answer));
            case 404 -> new Answer(false, json(answer));
            case 400, 401, 403, 409 -> throw new RefusedStartException(List.of(said(answer)));
            default ->
                    throw new UnreachableException(
                            "%s answers %d: %s".formatted(url, answer.statusCode(), said(answer)));
        };
    }

    private HttpResponse<String> exchange(HttpRequest request) {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UnreachableException(
                    "nobody answers at %s: is the process running, and is that its http.listen? (%s)"
                            .formatted(url, e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnreachableException("interrupted");
        }
    }

    private JsonNode json(HttpResponse<String> answer) {
        try {
            return MAPPER.readTree(answer.body());
        } catch (JacksonException e) {
            if (answer.statusCode() == 404) {
                return MAPPER.createObjectNode().put("error", said(answer));
            }
            throw new UnreachableException("what answers at %s is no envelope".formatted(url));
        }
    }

    private static String said(HttpResponse<String> answer) {
        String body = answer.body().strip();
        try {
            return MAPPER.readTree(body).at("/detail").asString(Words.line(body));
        } catch (JacksonException e) {
            return Words.line(body);
        }
    }
}
