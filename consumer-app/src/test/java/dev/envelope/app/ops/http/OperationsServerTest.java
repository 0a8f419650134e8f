package dev.envelope.app.ops.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.http.AddressTakenException;
import dev.envelope.app.ops.Gauges;
import dev.envelope.app.ops.Meters;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.SampleStatus;
import dev.envelope.app.ops.api.ApiBench;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.idempotency.outbox.OutboxStatus;
import dev.envelope.idempotency.output.OutputStatus;
import dev.envelope.idempotency.store.output.OutputStore.Waiting;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OperationsServerTest {

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Meters meters = new Meters(registry, new Timeline(Clock.systemUTC()));
    private final HttpClient http = HttpClient.newHttpClient();
    private volatile boolean isBroken;
    private volatile ProcessStatus status = works().status();
    private OperationsServer server;

    @BeforeEach
    void open() throws Exception {
        new Gauges(registry).ofProcess(this::status);
        server = open(new HostPort("127.0.0.1", 0));
    }

    private OperationsServer open(HostPort address) throws Exception {
        return OperationsServer.open(
                address,
                List.of(),
                this::status,
                registry::scrape,
                new ApiBench(this::status).api());
    }

    @AfterEach
    void close() {
        server.close();
        registry.close();
    }

    private static SampleStatus works() {
        return SampleStatus.of(SampleStatus.partition(1, ""));
    }

    private HttpResponse<String> send(String method, String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(server.url() + path))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void aProcessThatWorksIsLiveAndReady() throws Exception {
        assertThat(send("GET", "/livez").statusCode()).isEqualTo(200);
        assertThat(send("GET", "/startupz").statusCode()).isEqualTo(200);
        HttpResponse<String> ready = send("GET", "/readyz");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(ready.body()).isEqualTo("{\"ok\":true,\"reasons\":[]}");
        assertThat(ready.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/json");
    }

    @Test
    void aProcessBeforeItsEngineIsLiveButNotReady() throws Exception {
        status =
                ProcessStatus.preparing(
                        SampleStatus.IDENTITY, Duration.ofSeconds(1), SampleStatus.TOTALS);

        assertThat(send("GET", "/livez").statusCode()).isEqualTo(200);
        assertThat(send("GET", "/startupz").statusCode()).isEqualTo(503);
        HttpResponse<String> ready = send("GET", "/readyz");
        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(ready.headers().firstValue("Retry-After")).contains("1");
        assertThat(ready.body()).contains("the process is PREPARING");
        assertThat(send("HEAD", "/readyz").statusCode()).isEqualTo(503);
        assertThat(send("HEAD", "/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void aStoppedPartitionIsTheReasonWhyItIsNotReady() throws Exception {
        status =
                SampleStatus.of(
                                SampleStatus.partition(0, ""),
                                SampleStatus.stopped(1, "message 110 failed"))
                        .status();

        HttpResponse<String> ready = send("GET", "/readyz");
        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(ready.body()).contains("payments-1 is stopped: message 110 failed");
        assertThat(send("GET", "/plain").body()).contains(">stopped: message 110 failed<");
        assertThat(send("GET", "/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void handlersThatAreStuckWithNobodyInTheirPlaceAreTheReasonWhyItIsNotReady() throws Exception {
        status = works().stuck(2).stuckForGood(1).status();

        HttpResponse<String> ready = send("GET", "/readyz");
        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(ready.body()).contains("2 handlers are stuck");
        assertThat(send("GET", "/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void aPollLoopThatHangsIsNotLive() throws Exception {
        status = SampleStatus.of().beatAge(Duration.ofSeconds(31)).status();

        HttpResponse<String> live = send("GET", "/livez");
        assertThat(live.statusCode()).isEqualTo(503);
        assertThat(live.body()).contains("has not turned for 31 s");
    }

    @Test
    void whoCanNotDeliverItsDeadLettersIsNotReadyAndSaysWhy() throws Exception {
        status =
                SampleStatus.of()
                        .outbox(
                                new OutboxStatus(
                                        7,
                                        Duration.ofSeconds(601),
                                        3,
                                        2,
                                        "the topic is away",
                                        true))
                        .status();

        HttpResponse<String> ready = send("GET", "/readyz");
        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(ready.body())
                .contains(
                        "dead letters can't be delivered: the topic is away (7 wait, the first for"
                                + " 601 s)");
        assertThat(send("GET", "/livez").statusCode()).isEqualTo(200);
        assertThat(send("GET", "/status").body())
                .contains("\"outbox\":{\"waiting\":7,\"oldestMillis\":601000,\"relayed\":3");
    }

    @Test
    void whoMayEmitNothingMoreIsNotReadyAndSaysWhy() throws Exception {
        OutputStatus outputs =
                new OutputStatus(
                        new Waiting(7, 900, Duration.ofSeconds(5)), 3, 2, 4, 1, "it is away", true);
        status = SampleStatus.of().outputs(outputs).status();
        new Gauges(registry).ofOutputs(() -> outputs);
        meters.emitted(12);

        assertThat(send("GET", "/readyz").body()).contains("outputs can't be sent: it is away (7");
        assertThat(send("GET", "/livez").statusCode()).isEqualTo(200);
        assertThat(send("GET", "/status").body())
                .contains(
                        "\"outputs\":{\"waiting\":7,\"waitingBytes\":900,\"oldestMillis\":5000,"
                                + "\"sent\":3,\"batches\":2,\"refused\":4,\"doubtful\":1,"
                                + "\"trouble\":\"it is away\",\"full\":true}");
        assertThat(send("GET", "/metrics").body())
                .contains("envelope_outputs_emitted_total 12.0")
                .contains("envelope_outputs_waiting 7.0")
                .contains("envelope_outputs_waiting_bytes 900.0")
                .contains("envelope_outputs_oldest_seconds 5.0")
                .contains("envelope_outputs_sent_total 3.0")
                .contains("envelope_outputs_batches_total 2.0")
                .contains("envelope_outputs_refused_total 4.0")
                .contains("envelope_outputs_doubtful_total 1.0");
    }

    @Test
    void theStatusTellsOfTotalsPartitionsAndPool() throws Exception {
        assertThat(send("GET", "/status").body())
                .contains("\"version\":\"1.2.3\"")
                .contains("\"application\":\"balances\"")
                .contains("\"recordsPerWrite\":4.0")
                .contains("\"pool\":{\"behavior\":\"fold(count)\",\"size\":4,\"busy\":1")
                .contains(
                        "\"handlerTimeouts\":3,\"stuckWorkers\":0,\"workersReplaced\":1,\"mailboxBytes\":1048576,\"mailboxHeldBytes\":4096")
                .contains("\"topic\":\"payments\",\"partition\":1")
                .contains("\"firstUnacked\":110,\"committed\":100,\"end\":125,\"lag\":15");
    }

    @Test
    void theMetricsHaveTheNamesThatDashboardsKnow() throws Exception {
        meters.polled(5, 500);
        meters.saved(1, 4);
        meters.parked("undecodable", 1);
        meters.duplicates(2);
        meters.rebalanced("assigned", 3);
        meters.deadLettered("failed", 6);
        meters.waited(2_000_000);
        meters.drained(3_000_000_000L);
        new Gauges(registry)
                .ofOutbox(() -> new OutboxStatus(7, Duration.ofSeconds(9), 3, 2, "", false));

        assertThat(send("GET", "/metrics").body())
                .contains("envelope_records_total{outcome=\"applied\"} 4.0")
                .contains("envelope_records_total{outcome=\"duplicate\"} 2.0")
                .contains("envelope_records_total{outcome=\"parked\"} 1.0")
                .contains("envelope_records_total{outcome=\"dead-lettered\"} 6.0")
                .contains("envelope_dlq_total{reason=\"failed\"} 6.0")
                .contains("envelope_queue_wait_seconds_count 1")
                .contains("envelope_drain_seconds_sum 3.0")
                .contains("envelope_pool_capacity_bytes 1048576.0")
                .contains("envelope_outbox_rows 7.0")
                .contains("envelope_outbox_oldest_seconds 9.0")
                .contains("envelope_outbox_relayed_total 3.0")
                .contains("envelope_outbox_failures_total 2.0")
                .contains("envelope_parked_total{reason=\"undecodable\"} 1.0")
                .contains("envelope_size_records_bucket{le=\"5.0\"} 1")
                .contains("envelope_writes_total 1.0")
                .contains("envelope_records_per_write 4.0")
                .contains("envelope_inflight 10.0")
                .contains("envelope_oldest_unacked_seconds 62.0")
                .contains("envelope_commit_lag_records 20.0")
                .contains("envelope_dedupe_hits_total 2.0")
                .contains("envelope_cas_conflicts_total 0.0")
                .contains("envelope_rebalance_total{event=\"assigned\"} 1.0");
    }

    @Test
    void thePageAndAllThatItLoadsIsUnderAHundredKilobytes() throws Exception {
        HttpRequest page =
                HttpRequest.newBuilder(URI.create(server.url() + "/"))
                        .header("Accept", "text/html")
                        .build();
        int bytes = http.send(page, HttpResponse.BodyHandlers.ofString()).body().length();
        for (String file : List.of("page.js", "charts.js", "page.css", "icon.svg")) {
            HttpResponse<String> answer = send("GET", "/page/" + file);
            assertThat(answer.statusCode()).as(file).isEqualTo(200);
            bytes += answer.body().length();
        }

        assertThat(bytes).isBetween(20_000, 100_000);
    }

    @Test
    void onlyReadingIsAllowed() throws Exception {
        for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "TRACE")) {
            assertThat(send(method, "/status").statusCode()).as(method).isEqualTo(405);
        }
        assertThat(send("GET", "/elsewhere").statusCode()).isEqualTo(404);
    }

    @Test
    void everyAnswerForbidsThatABrowserMakesMoreOfIt() throws Exception {
        for (String path : List.of("/", "/status", "/elsewhere")) {
            var headers = send("GET", path).headers();
            assertThat(headers.firstValue(OperationsServer.MARK)).contains("1");
            assertThat(headers.firstValue("X-Content-Type-Options")).contains("nosniff");
            assertThat(headers.firstValue("Cache-Control")).contains("no-store");
            assertThat(headers.firstValue("Content-Security-Policy").orElse(""))
                    .contains("default-src 'none'");
            assertThat(headers.firstValue("Server")).isEmpty();
        }
    }

    @Test
    void aPageThatWasLedHereByANameOfItsOwnIsRefused() throws Exception {
        assertThat(statusLineFor("evil.example")).contains("421");
        assertThat(statusLineFor("127.0.0.1.evil.example:80")).contains("421");
        assertThat(statusLineFor("localhost:1")).contains("200");
        assertThat(statusLineFor("[::1]:1")).contains("200");
    }

    private ProcessStatus status() {
        if (isBroken) {
            throw new IllegalStateException("a secret");
        }
        return status;
    }

    private int port() {
        return URI.create(server.url()).getPort();
    }

    private String statusLineFor(String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.setSoTimeout(10_000);
            String request =
                    "GET /livez HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.lines().findFirst().orElse("");
        }
    }

    @Test
    void anAnswerThatFailsTellsTheCallerNothingOfTheInside() throws Exception {
        isBroken = true;

        HttpResponse<String> answer = send("GET", "/status");
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.body()).doesNotContain("secret").doesNotContain("Exception");
    }

    @Test
    void aTakenPortIsSaid() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            HostPort address = new HostPort("127.0.0.1", taken.getLocalPort());
            assertThatThrownBy(() -> open(address))
                    .isInstanceOf(AddressTakenException.class)
                    .hasMessageContaining(address.toString());
        }
    }
}
