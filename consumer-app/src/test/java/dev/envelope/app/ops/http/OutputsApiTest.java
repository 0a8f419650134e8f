package dev.envelope.app.ops.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.SampleStatus;
import dev.envelope.app.ops.api.ApiBench;
import dev.envelope.app.ops.api.Live;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is told of outputs over HTTP, and decided. */
class OutputsApiTest {

    private static final String TOKEN = "0123456789abcdef-token";

    private final HttpClient http = HttpClient.newHttpClient();
    private final ApiBench bench = new ApiBench(OutputsApiTest::status);
    private final Live live = bench.live();
    private OperationsServer server;

    @BeforeEach
    void open() throws Exception {
        server =
                OperationsServer.open(
                        new HostPort("127.0.0.1", 0),
                        List.of(new Secret(TOKEN)),
                        OutputsApiTest::status,
                        () -> "m 1\n",
                        bench.api(live));
    }

    @AfterEach
    void close() {
        live.close();
        server.close();
    }

    private static ProcessStatus status() {
        return SampleStatus.of().status();
    }

    private HttpResponse<String> send(String method, String path, String token) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server.url() + path))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .header("Authorization", "Bearer " + token)
                        .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> change(String path) throws Exception {
        return send("POST", path, TOKEN);
    }

    @Test
    void whatWaitsAndWhatIsRefusedIsToldPageByPage() throws Exception {
        assertThat(send("GET", "/api/outputs?limit=1", TOKEN).body())
                .isEqualTo(
                        "{\"topics\":[{\"topic\":\"orders\",\"outputs\":5,\"refused\":2,"
                                + "\"since\":\"1970-01-01T00:00:00Z\"}],\"tended\":true,"
                                + "\"refused\":[{\"position\":7,\"topic\":\"orders\",\"key\":\"k\","
                                + "\"message\":\"t-1@5\",\"why\":\"large\","
                                + "\"since\":\"1970-01-01T00:00:00Z\",\"tries\":3}],\"more\":true}");
        assertThat(send("GET", "/api/outputs?after=7", TOKEN).body())
                .contains("\"refused\":[{\"position\":8,")
                .contains("\"more\":false");
    }

    @Test
    void refusedOutputsAreRetriedOrDroppedByPosition() throws Exception {
        assertThat(change("/api/outputs/retry?position=7").body())
                .isEqualTo("{\"outputs\":1,\"underWay\":0}");
        assertThat(change("/api/outputs/retry?all=true").body())
                .isEqualTo("{\"outputs\":1,\"underWay\":1}");
        assertThat(change("/api/outputs/drop?position=7").statusCode()).isEqualTo(200);
        assertThat(bench.done).containsExactly("retry 7", "retry null", "drop 7");
    }

    @Test
    void whatIsBeingSentOrIsNotThereIsLeftAlone() throws Exception {
        assertThat(change("/api/outputs/drop?position=8").statusCode()).isEqualTo(409);
        assertThat(change("/api/outputs/drop?position=9").statusCode()).isEqualTo(404);
        assertThat(change("/api/outputs/retry").statusCode()).isEqualTo(400);
        assertThat(change("/api/outputs/retry?all=true&position=7").statusCode()).isEqualTo(400);
        assertThat(change("/api/outputs/drop?all=true").statusCode()).isEqualTo(400);
    }

    @Test
    void whoHasNoTokenDecidesNothing() throws Exception {
        assertThat(send("POST", "/api/outputs/drop?position=7", "other").statusCode())
                .isEqualTo(401);
        assertThat(bench.done).isEmpty();
    }
}
