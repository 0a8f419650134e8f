package dev.envelope.integration.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.demo.show.DemoServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The demo's page, as a browser has it.
 *
 * <p>Threads: immutable.
 */
record DemoPage(String url, String token) {

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** By what the demo has printed. */
    static DemoPage of(String log) {
        String url = found("the page is (http://[0-9.:]+)", log);
        String page = send(HttpRequest.newBuilder(URI.create(url))).body();
        return new DemoPage(url, found("name=\"demo-token\" content=\"([^\"]+)\"", page));
    }

    private static String found(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
        return matcher.group(1);
    }

    JsonNode now() {
        return JSON.readTree(send(HttpRequest.newBuilder(URI.create(url + "/now"))).body());
    }

    /** Of the instances. */
    List<String> states() {
        return (now().has("moment") ? now().at("/moment/members") : now().at("/members"))
                .valueStream()
                .map(it -> it.get("state").asString())
                .toList();
    }

    HttpResponse<String> press(String button) {
        return post(button, token, null);
    }

    /** What it says, once it can be done. */
    Optional<String> pressed(String button) {
        HttpResponse<String> answer = press(button);
        return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
    }

    HttpResponse<String> post(String path, String given, @Nullable String origin) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url + path))
                        .header(DemoServer.TOKEN_HEADER, given)
                        .POST(HttpRequest.BodyPublishers.noBody());
        if (origin != null) {
            request.header("Origin", origin);
        }
        return send(request);
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return HTTP.send(
                    request.timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
