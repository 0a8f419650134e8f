package dev.envelope.app.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.value.Secret;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Callers who are not who they should be, or send what they should not. */
class GatewaySafetyTest {

    private static final String PATH = "/v1/entities/a/messages";
    private static final Secret TOKEN = new Secret("0123456789abcdef");

    private GatewayBench bench;

    @BeforeEach
    void open() throws Exception {
        bench = GatewayBench.open();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private void withToken() throws Exception {
        bench.close();
        bench = GatewayBench.open(TOKEN);
    }

    private int status(String token) throws Exception {
        return bench.send(bench.request("/v1/entities/a").header("Authorization", token))
                .statusCode();
    }

    @Test
    void withATokenAllNeedIt() throws Exception {
        withToken();

        HttpResponse<String> without = bench.post(PATH, "{}");

        assertThat(without.statusCode()).isEqualTo(401);
        assertThat(without.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
        assertThat(bench.get("/v1/openapi.json").statusCode()).isEqualTo(401);
        assertThat(status("Bearer 0123456789abcdeX")).isEqualTo(401);
        assertThat(status("Basic 0123456789abcdef")).isEqualTo(401);
        assertThat(status("Bearer 0123456789abcdef")).isEqualTo(404);
        assertThat(bench.commands).isEmpty();
        bench.server().admit(List.of(new Secret("fedcba9876543210")));
        assertThat(status("Bearer 0123456789abcdef")).isEqualTo(401);
        assertThat(status("Bearer fedcba9876543210")).isEqualTo(404);

        bench.server().admit(List.of()); // a reload that also wants a restart, for certificates
        assertThat(bench.post(PATH, "{}").statusCode()).isEqualTo(401);
        assertThat(status("Bearer fedcba9876543210")).isEqualTo(404);
        assertThat(bench.counted("envelope.gateway.refused", "status", "401")).isEqualTo(6);
    }

    @Test
    void tokensCanNotBeTriedOut() throws Exception {
        withToken();
        List<Integer> statuses = new ArrayList<>();

        for (int i = 0; i < 200; i++) {
            statuses.add(status("Bearer " + i));
        }

        assertThat(statuses).contains(401, 429).containsOnly(401, 429);
        assertThat(status("Bearer 0123456789abcdef")).isEqualTo(404);
    }

    @Test
    void aPageInABrowserMayNotCallWithoutAToken() throws Exception {
        HttpResponse<String> answer =
                bench.send(
                        bench.request(PATH)
                                .header("Origin", "http://evil.example")
                                .POST(BodyPublishers.ofString("{}")));

        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(bench.commands).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"evil.example, 421", "localhost:8090, 202", "127.0.0.1, 202", "'', 400"})
    void loopbackKnowsItsNames(String host, int status) throws IOException {
        assertThat(posted("Host: " + host, "Content-Length: 2")).startsWith("HTTP/1.1 " + status);
    }

    private String posted(String... headers) throws IOException {
        return bench.raw(
                "POST " + PATH + " HTTP/1.1",
                String.join("\r\n", headers),
                "Connection: close",
                "",
                "{}");
    }

    @Test
    void aRequestWithTwoLengthsIsRefused() throws IOException {
        String chunked =
                bench.raw(
                        "POST " + PATH + " HTTP/1.1",
                        "Host: localhost",
                        "Content-Length: 4",
                        "Transfer-Encoding: chunked",
                        "",
                        "2\r\n{}\r\n0\r\n\r\nGET /v1/entities/smuggled HTTP/1.1\r\nHost: localhost",
                        "",
                        "");

        assertThat(chunked).startsWith("HTTP/1.1 400").containsOnlyOnce("HTTP/1.1");
        assertThat(posted("Host: localhost", "Content-Length: 2", "Content-Length: 3"))
                .startsWith("HTTP/1.1 400");
        assertThat(posted("Host: localhost", "Content-Length: +2")).startsWith("HTTP/1.1 400");
        assertThat(posted("Host: localhost", "Transfer-Encoding: xchunked"))
                .startsWith("HTTP/1.1 ")
                .doesNotContain("HTTP/1.1 2");
        assertThat(posted("Host: localhost", "Host: localhost", "Content-Length: 2"))
                .startsWith("HTTP/1.1 400");
        assertThat(bench.commands).isEmpty();
        assertThat(bench.reads).isEmpty();
    }

    @Test
    void aBodyThatIsTooLargeIsNotRead() throws IOException {
        try (Socket socket = bench.connect()) {
            GatewayBench.say(
                    socket,
                    "POST "
                            + PATH
                            + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65537\r\n"
                            + "Expect: 100-continue\r\n\r\n");

            assertThat(GatewayBench.rest(socket))
                    .startsWith("HTTP/1.1 413")
                    .contains("Connection: close", "gateway.max.body");
        }
        assertThat(bench.counted("envelope.gateway.refused", "status", "413")).isEqualTo(1);
    }

    @Test
    void aBodyOfUnknownLengthIsReadUpToTheLimit() throws Exception {
        try (Socket socket = bench.connect()) {
            GatewayBench.say(
                    socket,
                    "POST "
                            + PATH
                            + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + "10001\r\n"
                            + "x".repeat(0x10001)
                            + "\r\n");

            assertThat(GatewayBench.rest(socket)).startsWith("HTTP/1.1 413");
        }
        assertThat(
                        bench.raw(
                                "POST " + PATH + " HTTP/1.1",
                                "Host: localhost",
                                "Transfer-Encoding: chunked",
                                "Connection: close",
                                "",
                                "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"))
                .startsWith("HTTP/1.1 202");
    }

    @Test
    void bodiesThatArriveHaveOnlySoMuchRoom() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 16; i++) { // 64 KiB each, of the fifth of 5 MiB
            Socket socket = bench.connect();
            sockets.add(socket);
            GatewayBench.say(
                    socket,
                    "POST "
                            + PATH
                            + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65536\r\n\r\n{");
        }
        GatewayBench.until(() -> bench.post(PATH, "{}").statusCode() == 503);
        assertThat(bench.get("/v1/entities/a").statusCode()).isEqualTo(404);
        for (Socket socket : sockets) {
            socket.close();
        }

        GatewayBench.until(() -> bench.post(PATH, "{}").statusCode() == 202);
    }

    @Test
    void bodiesThatAreEncodedAreNotRead() throws IOException {
        assertThat(posted("Host: localhost", "Content-Encoding: gzip", "Content-Length: 2"))
                .startsWith("HTTP/1.1 415");
    }

    @Test
    void whoDripsABodyIsToldThatItIsTooSlow() throws Exception {
        try (Socket socket = bench.connect()) {
            GatewayBench.say(
                    socket,
                    "POST "
                            + PATH
                            + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n");
            long begun = System.nanoTime();
            drip(socket, "x");

            assertThat(GatewayBench.rest(socket)).startsWith("HTTP/1.1 408");
            assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(12));
        }
    }

    @Test
    void whoDripsHeadersIsCutOff() throws Exception {
        try (Socket socket = bench.connect()) {
            GatewayBench.say(socket, "POST " + PATH + " HTTP/1.1\r\nHost: localhost\r\n");
            long begun = System.nanoTime();
            drip(socket, "X-Drip: 1\r\n");

            assertThat(GatewayBench.rest(socket)).doesNotContain("HTTP/1.1 2");
            assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(12));
        }
    }

    /** On a connection that was answered before, too, which may be idle for longer. */
    @Test
    void whoDripsTheSecondRequestIsCutOff() throws Exception {
        try (Socket socket = bench.connect()) {
            GatewayBench.say(socket, "GET /v1/entities/a HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(socket.getInputStream().read()).isEqualTo('H');
            TimeUnit.SECONDS.sleep(7); // idle: that is allowed
            GatewayBench.say(socket, "GET /v1/entities/b HTTP/1.1\r\nHost: localhost\r\n\r\n");
            GatewayBench.until(() -> bench.reads.size() == 2);
            GatewayBench.say(socket, "GET /v1/entities/c HTTP/1.1\r\n");
            long begun = System.nanoTime();
            drip(socket, "X-Drip: 1\r\n");

            assertThat(GatewayBench.rest(socket)).contains("HTTP/1.1 404");
            assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(12));
        }
        assertThat(bench.reads).hasSize(2);
    }

    /** Sends it again and again, until the server has had enough. */
    private static void drip(Socket socket, String drop) throws Exception {
        try {
            for (int i = 0; i < 30 && socket.getInputStream().available() == 0; i++) {
                GatewayBench.say(socket, drop);
                TimeUnit.MILLISECONDS.sleep(300);
            }
        } catch (SocketException e) {
            assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe|abort|closed).*");
        }
    }
}
