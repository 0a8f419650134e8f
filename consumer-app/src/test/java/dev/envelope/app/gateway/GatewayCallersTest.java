package dev.envelope.app.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.command.Outcome;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers who wait, leave, or do not read what they are told. */
class GatewayCallersTest {

    private static final String PATH = "/v1/entities/a/messages";

    private static final String WAITS =
            "POST "
                    + PATH
                    + "?wait=5s HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: %d\r\n"
                    + "Content-Length: 2\r\n%s\r\n{}";

    private GatewayBench bench;

    @BeforeEach
    void open() throws Exception {
        bench = GatewayBench.open();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void requestsThatAreSentTogetherAreAnsweredInOrder() throws Exception {
        List<CompletableFuture<Outcome>> outcomes = bench.holdOutcomes();
        try (Socket socket = bench.connect()) {
            GatewayBench.say(
                    socket,
                    WAITS.formatted(1, "")
                            + WAITS.formatted(2, "")
                            + WAITS.formatted(3, "Connection: close\r\n"));
            for (int i = 0; i < 3; i++) {
                int next = i;
                GatewayBench.until(() -> outcomes.size() == next + 1);
                outcomes.get(i).complete(new Outcome.Accepted(GatewayBench.AT));
            }

            String answers = GatewayBench.rest(socket);
            assertThat(answers.indexOf("\"command\":\"1\""))
                    .isPositive()
                    .isLessThan(answers.indexOf("\"command\":\"2\""));
            assertThat(answers.indexOf("\"command\":\"2\""))
                    .isLessThan(answers.indexOf("\"command\":\"3\""));
        }
    }

    @Test
    void idleConnectionsKeepNobodyOut() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 600; i++) { // 2 * 20 + 256 are held
            sockets.add(bench.connect());
        }

        assertThat(bench.post(PATH, "{}").statusCode()).isEqualTo(202);
        sockets.get(0).setSoTimeout(2_000); // sooner than it would be closed for its silence
        assertThat(sockets.get(0).getInputStream().read()).as("the end").isEqualTo(-1);
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    void whoWaitsHoldsNoThread() throws Exception {
        bench.outcome = command -> new CompletableFuture<>();
        List<CompletableFuture<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            waiting.add(
                    bench.sendLater(
                            bench.request(PATH + "?wait=30s").POST(BodyPublishers.ofString("{}"))));
        }
        GatewayBench.until(() -> bench.commands.size() == 40);

        assertThat(bench.get("/v1/entities/a").statusCode()).isEqualTo(404);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
    }

    /** Its command stays, but nobody looks for its answer any more. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoIsGoneWaitsNoLonger(boolean isReset) throws Exception {
        List<CompletableFuture<Outcome>> outcomes = bench.holdOutcomes();
        for (int i = 0; i < 30; i++) {
            try (Socket socket = bench.connect()) {
                int before = outcomes.size();
                GatewayBench.say(
                        socket,
                        "POST "
                                + PATH
                                + "?wait=30s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
                GatewayBench.until(() -> outcomes.size() == before + 1);
                if (isReset) {
                    socket.setSoLinger(true, 0);
                }
            }
        }

        GatewayBench.until(() -> outcomes.stream().allMatch(CompletableFuture::isCancelled));
        bench.outcome =
                command -> CompletableFuture.completedFuture(new Outcome.Accepted(GatewayBench.AT));
        assertThat(bench.post(PATH, "{}").statusCode()).isEqualTo(202);
        bench.server().end();
        long begun = System.nanoTime();
        bench.server().close(); // nothing is left to be answered
        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(2));
    }

    @Test
    void aReadIsOverOnceItsAnswerIsReadOrItsCallerIsGone() throws Exception {
        assertThat(bench.get("/v1/entities/a").statusCode()).isEqualTo(404);
        GatewayBench.until(() -> bench.overs.get(0).isDone());

        try (Socket socket = bench.connect()) {
            GatewayBench.say(
                    socket,
                    "GET /v1/entities/a?at-least=payments-3-1&wait=30s HTTP/1.1\r\nHost: localhost\r\n\r\n");
            GatewayBench.until(() -> bench.overs.size() == 2);
            assertThat(bench.overs.get(1)).isNotDone();
        }
        GatewayBench.until(() -> bench.overs.get(1).isDone());

        bench.rows.put("large", GatewayBench.entity("\"" + "x".repeat(900_000) + "\""));
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(1_024);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), bench.port()));
            GatewayBench.say(
                    socket,
                    "GET /v1/entities/large HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(20));
            int read = socket.getInputStream().read();
            assertThat(read).isEqualTo('H');
            GatewayBench.until(() -> bench.overs.stream().filter(it -> !it.isDone()).count() == 1);
        }
        GatewayBench.until(() -> bench.overs.stream().allMatch(CompletableFuture::isDone));
    }

    /** Bytes of the next request are no end, and are not lost. */
    @Test
    void aNextRequestThatComesWhileOneWaitsIsReadAfterIt() throws Exception {
        List<CompletableFuture<Outcome>> outcomes = bench.holdOutcomes();
        try (Socket socket = bench.connect()) {
            for (int i = 0; i < 20; i++) {
                int next = i;
                GatewayBench.say(
                        socket, WAITS.formatted(i, i == 19 ? "Connection: close\r\n" : ""));
                if (i > 0) {
                    TimeUnit.MILLISECONDS.sleep(5); // it arrives while the former one waits
                    outcomes.get(i - 1).complete(new Outcome.Accepted(GatewayBench.AT));
                }
                GatewayBench.until(() -> outcomes.size() == next + 1);
            }
            outcomes.get(19).complete(new Outcome.Accepted(GatewayBench.AT));

            String answers = GatewayBench.rest(socket);
            assertThat(answers.split("HTTP/1.1 202", -1)).hasSize(21);
            assertThat(answers).contains("\"command\":\"0\"", "\"command\":\"19\"");
        }
        assertThat(outcomes).noneMatch(CompletableFuture::isCancelled);
    }

    @Test
    void whoDoesNotReadAnswersHoldsNoThreadAndNotForLong() throws Exception {
        bench.rows.put("large", GatewayBench.entity("\"" + "x".repeat(900_000) + "\""));
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Socket socket = new Socket();
            socket.setReceiveBufferSize(1_024);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), bench.port()));
            sockets.add(socket);
            GatewayBench.say(
                    socket,
                    "GET /v1/entities/large HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(20));
        }

        GatewayBench.until(() -> bench.get("/v1/entities/large").statusCode() == 503);
        assertThat(bench.get("/v1/entities/a").statusCode()).isEqualTo(404);
        GatewayBench.until(() -> bench.get("/v1/entities/large").statusCode() == 200);
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    void aProcessThatEndsAnswersWhoWaitsAndTakesNobody() throws Exception {
        List<CompletableFuture<Outcome>> outcomes = bench.holdOutcomes();
        CompletableFuture<HttpResponse<String>> waits =
                bench.sendLater(
                        bench.request(PATH + "?wait=30s").POST(BodyPublishers.ofString("{}")));
        GatewayBench.until(() -> outcomes.size() == 1);

        bench.server().end();

        HttpResponse<String> refused = bench.post(PATH, "{}");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("the process is ending");
        outcomes.get(0)
                .complete(new Outcome.Unknown(Outcome.Reason.ENDING, "the process is ending"));
        bench.server().close();
        assertThat(waits.get(5, TimeUnit.SECONDS).statusCode()).isEqualTo(503);
    }
}
