package dev.envelope.app.ops.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.SampleStatus;
import dev.envelope.app.ops.api.ApiBench;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Hundreds of callers who say nothing, little, or do not listen, and a probe all the while. */
class SilentCallersTest {

    private static final int CALLERS = 500;

    /** Whoever runs the process gives a probe a second, by default; one that is lost takes more. */
    private static final long MOST_MILLIS = 1_000;

    /** What each of them sends at once, and what now and then. */
    private enum Manner {
        SILENT("", ""),
        DRIPPING_HEADERS("GET /livez HTTP/1.1\r\nHost: localhost\r\n", "X-Drip: 1\r\n"),
        DRIPPING_A_BODY(
                "POST /api/pool/add HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n",
                "x"),
        NOT_READING("GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(20), "");

        private final String first;
        private final String then;

        Manner(String first, String then) {
            this.first = first;
            this.then = then;
        }
    }

    private final ProcessStatus status = SampleStatus.of(SampleStatus.partition(1, "")).status();
    private final List<Socket> callers = new ArrayList<>();
    private OperationsServer server;

    @BeforeEach
    void open() throws Exception {
        server =
                OperationsServer.open(
                        new HostPort("127.0.0.1", 0),
                        List.of(),
                        () -> status,
                        () -> "",
                        new ApiBench(() -> status).api());
    }

    @AfterEach
    void close() throws IOException {
        for (Socket caller : callers) {
            caller.close();
        }
        server.close();
    }

    private void call(Manner manner) throws IOException {
        Socket caller = new Socket();
        caller.setReceiveBufferSize(1_024);
        URI url = URI.create(server.url());
        caller.connect(new InetSocketAddress(url.getHost(), url.getPort()), 5_000);
        callers.add(caller);
        send(caller, manner.first);
    }

    /** As far as the server still listens. */
    private static void send(Socket caller, String text) {
        try {
            caller.getOutputStream().write(text.getBytes(US_ASCII));
            caller.getOutputStream().flush();
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe|abort|closed).*");
        }
    }

    private long probeMillis() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        HttpResponse<String> answer =
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create(server.url() + "/livez")).build(),
                                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    }

    @Test
    void aStreamGoesOnAndWhoSaysNothingWholeIsClosed() throws Exception {
        call(Manner.SILENT);
        HttpResponse<InputStream> stream =
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create(server.url() + "/api/live"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(stream.body(), US_ASCII))) {
            long begun = System.nanoTime();
            while (System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(12)) {
                assertThat(lines.readLine()).isNotNull(); // a second passes between two
            }
        }
        assertThat(callers.get(0).getInputStream().read()).as("the end").isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource
    void probesAreAnsweredAllTheSame(Manner manner) throws Exception {
        long usual = probeMillis();
        long longest = 0;
        for (int i = 0; i < CALLERS; i++) {
            call(manner);
            if (i % 25 == 0) {
                longest = Math.max(longest, probeMillis());
            }
        }
        for (int round = 0; round < 10; round++) {
            callers.forEach(it -> send(it, manner.then));
            longest = Math.max(longest, probeMillis());
            TimeUnit.MILLISECONDS.sleep(200);
        }
        System.out.println(manner + ": a probe took at most " + longest + " ms, before " + usual);
        assertThat(longest).isLessThan(MOST_MILLIS);
    }
}
