package dev.envelope.app.ops.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.envelope.app.config.value.Secret;
import dev.envelope.app.ops.SampleStatus;
import dev.envelope.app.ops.api.ApiBench;
import dev.envelope.app.ops.api.Live;
import dev.envelope.core.api.Doing;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.status.Holdup;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who may ask a process over HTTP, how often, and what a browser gets. */
class ApiAccessTest extends ApiFixture {

    @Test
    void whoAsksTooOftenIsToldToComeAgainAndProbesAreAnsweredAllTheSame() throws Exception {
        int refused = 0;
        long begin = System.nanoTime();
        for (int i = 0; i < 1_000; i++) {
            refused += send("GET", "/api/pool").statusCode() == 429 ? 1 : 0;
            if (refused == 1) {
                assertThat(change("/api/pool/add").statusCode())
                        .as("with the token")
                        .isEqualTo(200);
            }
        }
        double perSecond = 1_000 / ((System.nanoTime() - begin) / 1e9);
        assumeTrue(perSecond > 100, "this machine asks only " + perSecond + " times a second");
        assertThat(refused).isPositive();
        assertThat(send("GET", "/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void nothingIsChangedWithoutTheToken() throws Exception {
        HttpResponse<String> without = send("POST", "/api/pool/add");
        assertThat(without.statusCode()).isEqualTo(401);
        assertThat(without.body())
                .contains("\"detail\":\"wants http.token: ", "ENVELOPE_HTTP_TOKEN");
        HttpResponse<String> other = send("POST", "/api/pool/add", "Authorization", "Bearer x");
        assertThat(other.body()).contains("\"detail\":\"that is not http.token: ");
        String ofTheSameLength = TOKEN.replace('0', '1');
        for (String wrong :
                List.of(
                        "Bearer ",
                        "Bearer " + TOKEN + "x",
                        "Bearer " + ofTheSameLength,
                        "Basic " + TOKEN,
                        TOKEN)) {
            assertThat(send("POST", "/api/pool/add", "Authorization", wrong).statusCode())
                    .as(wrong)
                    .isEqualTo(401);
        }
        assertThat(send("POST", "/api/pool/add?token=" + TOKEN).statusCode()).isEqualTo(401);
        assertThat(bench.done).isEmpty();
    }

    @Test
    void whatHasABodyIsRefusedBeforeItIsRead() throws Exception {
        for (String path : List.of("/livez", "/api/status", "/api/pool/add")) {
            URI url = URI.create(server.url());
            try (Socket caller = new Socket(url.getHost(), url.getPort())) {
                String head =
                        "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
                                .formatted(path, TOKEN, 20 << 20);
                caller.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                BufferedReader answer =
                        new BufferedReader(
                                new InputStreamReader(
                                        caller.getInputStream(), StandardCharsets.US_ASCII));
                assertThat(answer.readLine()).as(path).startsWith("HTTP/1.1 413");
            }
        }
        assertThat(bench.done).isEmpty();
    }

    @Test
    void theNewTokenAndTheFormerOneAreGoodUntilTheFormerGoes() throws Exception {
        Secret next = new Secret(TOKEN.replace('0', '1'));
        String ofNext = "Bearer " + next.reveal();
        server.admit(List.of(next, new Secret(TOKEN)));
        assertThat(change("/api/pool/add").statusCode()).isEqualTo(200);
        assertThat(send("POST", "/api/pool/add", "Authorization", ofNext).statusCode())
                .isEqualTo(200);

        server.admit(List.of(next));

        assertThat(change("/api/pool/add").statusCode()).isEqualTo(401);
        assertThat(send("POST", "/api/pool/add", "Authorization", ofNext).statusCode())
                .isEqualTo(200);
    }

    @Test
    void withoutATokenInTheSettingsNothingCanBeChangedAtAll() throws Exception {
        close();
        open("127.0.0.1", List.of());

        HttpResponse<String> answer = send("POST", "/api/pool/add", "Authorization", "Bearer ");
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("http.token");
        assertThat(bench.done).isEmpty();
    }

    @Test
    void beyondThisMachineOnlyTheProbesAndTheEmptyPageAreOpen() throws Exception {
        close();
        open("0.0.0.0", List.of(new Secret(TOKEN)));

        for (String path : List.of("/startupz", "/livez", "/readyz", "/page/page.js")) {
            assertThat(send("GET", path).statusCode()).as(path).isEqualTo(200);
        }
        for (String path :
                List.of("/status", "/metrics", "/api/stuck", "/api/live", "/api/config")) {
            assertThat(send("GET", path).statusCode()).as(path).isEqualTo(401);
        }
        assertThat(send("GET", "/api/stuck", "Authorization", "Bearer " + TOKEN).statusCode())
                .isEqualTo(200);
    }

    @Test
    void aBrowserGetsThePageAndItsFilesAndNobodyElseDoes() throws Exception {
        HttpResponse<String> page = send("GET", "/", "Accept", "text/html,*/*");
        assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
        assertThat(page.body()).contains("<title>envelope</title>").doesNotContain("style=");
        assertThat(send("GET", "/").body()).contains("/livez");
        assertThat(send("GET", "/page/charts.js").statusCode()).isEqualTo(200);
        assertThat(send("GET", "/page/Page.class").statusCode()).isEqualTo(404);
        assertThat(send("GET", "/page/..%2f..%2flogback.xml").statusCode()).isNotEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .contains("script-src 'self'")
                .doesNotContain("unsafe");
    }

    @Test
    void whoHasNoScriptGetsPlainTables() throws Exception {
        bench.holdups.add(
                new Holdup(
                        SampleStatus.partition(1, ""),
                        ApiBench.name(110, "<b>"),
                        new Standing(Doing.LOCKED, 0, 1, 0, ""),
                        Duration.ofSeconds(12)));

        assertThat(send("GET", "/plain").body())
                .contains(
                        "<td data-label=\"end\">125</td><td data-label=\"lag\">15</td>",
                        "<td data-label=\"partition\">payments-1</td>")
                .contains("key &quot;&lt;b&gt;&quot;")
                .doesNotContain("<b>");
    }

    @Test
    void aStreamTellsEachSecondAndHasAnEnd() throws Exception {
        try (BufferedReader events = stream()) {
            assertThat(events.readLine()).startsWith("data: {\"status\":{\"version\":\"1.2.3\"");
            assertThat(events.readLine()).isEmpty();
            assertThat(events.readLine()).contains("\"flow\":{\"waiting\":16,\"SAVE\":4");
            live.close();
            while (events.readLine() != null) {
                // until it ends
            }
        }
    }

    @Test
    void thereAreOnlySoManyStreamsAndAReaderWhoGoesMakesRoom() throws Exception {
        List<BufferedReader> open = new ArrayList<>();
        for (int i = 0; i < Live.MOST_STREAMS; i++) {
            open.add(stream());
            open.get(i).readLine();
        }
        assertThat(send("GET", "/api/live").statusCode()).isEqualTo(503);
        assertThat(send("GET", "/api/stuck").statusCode()).as("others are answered").isEqualTo(200);

        open.get(0).close();
        int status = 503;
        for (int tries = 0; tries < 100 && status == 503; tries++) {
            try (InputStream answer = request("/api/live").body()) {
                status = answer.read() == 'd' ? 200 : 503;
            }
            Thread.sleep(50); // its thread finds out when it writes
        }
        assertThat(status).isEqualTo(200);
        for (BufferedReader each : open) {
            each.close();
        }
    }

    private BufferedReader stream() throws Exception {
        return new BufferedReader(
                new InputStreamReader(request("/api/live").body(), StandardCharsets.UTF_8));
    }

    private HttpResponse<InputStream> request(String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(server.url() + path)).build(),
                HttpResponse.BodyHandlers.ofInputStream());
    }
}
