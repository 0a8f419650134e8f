package dev.envelope.app.ops.http;

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

/** A server with a process behind it, and whoever asks it. */
abstract class ApiFixture {

    static final String TOKEN = "0123456789abcdef-token";

    final HttpClient http = HttpClient.newHttpClient();
    final ApiBench bench = new ApiBench(this::status);
    Live live;
    OperationsServer server;

    @BeforeEach
    void open() throws Exception {
        open("127.0.0.1", List.of(new Secret(TOKEN)));
    }

    final void open(String host, List<Secret> tokens) throws Exception {
        live = bench.live();
        server =
                OperationsServer.open(
                        new HostPort(host, 0),
                        tokens,
                        this::status,
                        () -> "m 1\n",
                        bench.api(live));
    }

    @AfterEach
    void close() {
        live.close();
        server.close();
    }

    ProcessStatus status() {
        return SampleStatus.of(
                        SampleStatus.partition(0, ""),
                        SampleStatus.partition(1, "enough is in flight"))
                .status();
    }

    HttpResponse<String> send(String method, String path, String... headers) throws Exception {
        URI url = URI.create(server.url().replace("0.0.0.0", "127.0.0.1") + path);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(url).method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> change(String path) throws Exception {
        return send("POST", path, "Authorization", "Bearer " + TOKEN);
    }
}
