package dev.envelope.app.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.command.Outcome;
import dev.envelope.idempotency.command.Outcome.Reason;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.reply.ReplyStore;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What senders of commands are told. */
class CommandsOverHttpTest {

    private static final String PATH = "/v1/entities/a/messages";

    private GatewayBench bench;

    @BeforeEach
    void open() throws Exception {
        bench = GatewayBench.open();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static ReplyStore.Answer answer(
            Result result, @Nullable String reason, @Nullable String value, boolean isState) {
        return new ReplyStore.Answer(
                result,
                reason,
                value == null ? null : value.getBytes(UTF_8),
                isState,
                7,
                "payments",
                3,
                4711,
                Instant.parse("2026-11-23T03:00:00.120Z"));
    }

    private HttpResponse<String> told(Outcome outcome) throws Exception {
        bench.outcome = command -> CompletableFuture.completedFuture(outcome);
        return bench.send(
                bench.request(PATH + "?wait=5s")
                        .header("Idempotency-Key", "c-1")
                        .POST(java.net.http.HttpRequest.BodyPublishers.ofString("{}")));
    }

    @Test
    void withoutAWaitTheCallerIsToldWhereItsRecordIs() throws Exception {
        HttpResponse<String> answer = bench.post(PATH, "{\"amount\":1}");

        assertThat(answer.statusCode()).isEqualTo(202);
        String id = answer.headers().firstValue("Idempotency-Key").orElseThrow();
        assertThat(answer.body())
                .isEqualTo(
                        "{\"command\":\"%s\",\"topic\":\"payments\",\"partition\":3,\"offset\":4711}"
                                .formatted(id));
        assertThat(bench.commands)
                .singleElement()
                .satisfies(
                        it -> {
                            assertThat(it.time()).isZero();
                            assertThat(it.command().id()).isEqualTo(id);
                            assertThat(it.command().key()).isEqualTo("a");
                            assertThat(it.command().recordKey()).isEqualTo("a".getBytes(UTF_8));
                            assertThat(it.command().value())
                                    .isEqualTo("{\"amount\":1}".getBytes(UTF_8));
                        });
    }

    @Test
    void whatWasAppliedComesWithTheStateOrTheReply() throws Exception {
        HttpResponse<String> state =
                told(new Outcome.Settled(answer(Result.APPLIED, null, "{\"n\":1}", true), false));

        assertThat(state.statusCode()).isEqualTo(200);
        assertThat(state.body())
                .isEqualTo(
                        "{\"command\":\"c-1\",\"result\":\"applied\",\"state\":{\"n\":1},"
                                + "\"version\":7,\"topic\":\"payments\",\"partition\":3,"
                                + "\"offset\":4711,\"settledAt\":\"2026-11-23T03:00:00.120Z\","
                                + "\"duplicate\":false}");
        assertThat(bench.commands.get(0).time()).isEqualTo(Duration.ofSeconds(5));
        assertThat(told(settled("[1]")).body()).contains("\"reply\":[1],\"version\"");
        assertThat(told(settled("1 2")).body()).contains("\"replyBase64\":\"MSAy\",\"version\"");
        assertThat(told(settled(null)).body()).contains("\"reply\":null,\"version\"");
        assertThat(bench.counted("envelope.gateway.commands", "result", "applied")).isEqualTo(4);
        assertThat(bench.registry.get("envelope.gateway.settled").timer().count()).isEqualTo(4);
    }

    private static Outcome settled(@Nullable String reply) {
        return new Outcome.Settled(answer(Result.APPLIED, null, reply, false), false);
    }

    @Test
    void aRepeatedCommandGetsTheFirstAnswer() throws Exception {
        HttpResponse<String> repeated =
                told(new Outcome.Settled(answer(Result.APPLIED, null, "{}", true), true));
        HttpResponse<String> forgotten =
                told(new Outcome.Settled(answer(Result.DUPLICATE, null, "{}", true), false));

        assertThat(repeated.statusCode()).isEqualTo(200);
        assertThat(repeated.body()).contains("\"result\":\"applied\"", "\"duplicate\":true");
        assertThat(forgotten.statusCode()).isEqualTo(200);
        assertThat(forgotten.body()).contains("\"result\":\"duplicate\"", "\"duplicate\":true");
    }

    @ParameterizedTest
    @CsvSource({"PARKED, parked", "PUT_OUT, put-out"})
    void whatWasSetAsideIsNeverSaidToBeApplied(Result result, String word) throws Exception {
        HttpResponse<String> answer =
                told(new Outcome.Settled(answer(result, "no such account", null, false), true));

        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValue("application/problem+json");
        assertThat(answer.body())
                .contains("\"status\":409", "\"result\":\"" + word + "\"", "\"offset\":4711")
                .contains("\"reason\":\"no such account\"")
                .doesNotContain("applied", "version");
    }

    @Test
    void whenItsTimeIsOverTheCallerIsToldWhatIsKnown() throws Exception {
        HttpResponse<String> answer = told(new Outcome.TimeOver(GatewayBench.AT));

        assertThat(answer.statusCode()).isEqualTo(504);
        assertThat(answer.body())
                .contains("was not handled in time; ask again with the same Idempotency-Key")
                .contains("\"partition\":3,\"offset\":4711")
                .contains("\"findings\":[\"a waits in payments-3\"]");
    }

    @Test
    void aKeyOfAnotherPartitionIsRefusedWithBoth() throws Exception {
        HttpResponse<String> answer = told(new Outcome.OtherPartition("payments", 3, 5));

        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.body()).contains("\"partition\":3,\"gatewayPartition\":5");
    }

    @Test
    void whoIsTurnedAwayMayComeAgain() throws Exception {
        HttpResponse<String> busy = told(new Outcome.Busy(Reason.LIMITS, "21 of 20"));
        HttpResponse<String> unknown =
                told(new Outcome.Unknown(Reason.BROKERS, "broker-7.internal:9092 says nothing"));

        assertThat(busy.statusCode()).isEqualTo(503);
        assertThat(busy.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(busy.body())
                .contains("\"detail\":\"too many commands are under way, or they are too large")
                .doesNotContain("21");
        assertThat(unknown.statusCode()).isEqualTo(503);
        assertThat(unknown.body())
                .contains("may be in the log or not: the brokers do not answer")
                .contains("ask again with the same Idempotency-Key")
                .doesNotContain("broker-7");
        assertThat(bench.counted("envelope.gateway.turned.away", "reason", "limits")).isEqualTo(1);
        assertThat(bench.counted("envelope.gateway.turned.away", "reason", "brokers")).isEqualTo(1);
        assertThat(bench.counted("envelope.gateway.turned.away", "reason", "database")).isZero();
        assertThat(bench.counted("envelope.gateway.commands", "result", "busy")).isEqualTo(1);
        assertThat(bench.counted("envelope.gateway.commands", "result", "unknown")).isEqualTo(1);
        assertThat(told(new Outcome.Refused("too large")).statusCode()).isEqualTo(400);
    }

    @Test
    void whoIsTurnedAwayBecauseOfAPlaceIsToldWhich() throws Exception {
        HttpResponse<String> busy =
                told(new Outcome.Busy(Reason.DATABASE, "10.1.2.3 does not answer", "b"));

        assertThat(busy.statusCode()).isEqualTo(503);
        assertThat(busy.body())
                .contains("\"detail\":\"place b: the database does not answer\"")
                .contains("\"place\":\"b\"")
                .doesNotContain("10.1.2.3");
    }

    @Test
    void aKeyMayHaveAnyCharacter() throws Exception {
        bench.post("/v1/entities/a%2Fb%20%25%c3%a9+%F0%9F%98%80/messages", "{}");
        bench.post("/v1/entities/query/messages", "{}");
        bench.post("/v1/entities/%2E%2E/messages", "{}");

        assertThat(bench.commands)
                .extracting(it -> it.command().key())
                .containsExactly("a/b %é+😀", "query", "..");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "%00 | application/problem+json",
                "%EF%BF%BFno-key%2F1 | key-reserved",
                "%ff | Bad UTF-8 encoding",
                "%c3 | Bad UTF-8 encoding",
                "%2 | application/problem+json",
                "%zz | application/problem+json"
            })
    void aKeyThatCanHaveNoRowIsRefused(String key, String why) throws Exception {
        String answer =
                bench.raw(
                        "POST /v1/entities/" + key + "/messages HTTP/1.1",
                        "Host: localhost",
                        "Content-Length: 2",
                        "Connection: close",
                        "",
                        "{}");

        assertThat(answer).startsWith("HTTP/1.1 400").contains(why);
        assertThat(bench.commands).isEmpty();
    }

    @Test
    void aKeyThatIsTooLongIsRefused() throws Exception {
        assertThat(bench.post("/v1/entities/" + "x".repeat(2501) + "/messages", "{}").statusCode())
                .isEqualTo(400);
        assertThat(bench.post("/v1/entities/" + "x".repeat(2500) + "/messages", "{}").statusCode())
                .isEqualTo(202);
    }

    @Test
    void aKeyAndAnIdThatCanNotBeStoredTogetherAreRefused() throws Exception {
        for (int length : List.of(100, 101)) {
            String path = "/v1/entities/" + "x".repeat(2500) + "/messages";
            assertThat(withId(path, "i".repeat(length)))
                    .startsWith(length == 100 ? "HTTP/1.1 202" : "HTTP/1.1 400");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "5 parsecs", "-1s", "31s", "1d"})
    void aWaitThatIsNoneIsRefused(String wait) throws Exception {
        String path = PATH + "?wait=" + wait.replace(" ", "%20");

        assertThat(bench.post(path, "{}").statusCode()).isEqualTo(400);
        assertThat(bench.commands).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{} {}", "null x", "nothing"})
    void aBodyThatNoHandlerWouldGetIsRefused(String body) throws Exception {
        HttpResponse<String> answer = bench.post(PATH, body);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("as value.format wants it");
        assertThat(bench.commands).isEmpty();
    }

    @Test
    void anIdHasOneToTwoHundredAndFiftyFivePrintableCharacters() throws Exception {
        assertThat(withId("x".repeat(255))).startsWith("HTTP/1.1 202");
        assertThat(withId("it's ~ \"any\" {thing}")).startsWith("HTTP/1.1 202");
        assertThat(withId("x".repeat(256))).startsWith("HTTP/1.1 400");
        assertThat(withId("")).startsWith("HTTP/1.1 400");
        assertThat(withId("a\tb")).startsWith("HTTP/1.1 400");
        assertThat(withId("a\u0001b")).startsWith("HTTP/1.1 400");
        assertThat(withId("a\u0000b")).startsWith("HTTP/1.1 400");
        assertThat(withId("a\u007fb")).startsWith("HTTP/1.1 400");
        assertThat(withId("é")).startsWith("HTTP/1.1 400");
        assertThat(withId("a\r\nIdempotency-Key: b")).startsWith("HTTP/1.1 400");
        assertThat(bench.commands)
                .extracting(it -> it.command().id())
                .containsExactly("x".repeat(255), "it's ~ \"any\" {thing}");
    }

    private String withId(String id) throws Exception {
        return withId(PATH, id);
    }

    private String withId(String path, String id) throws Exception {
        return bench.raw(
                "POST " + path + " HTTP/1.1",
                "Host: localhost",
                "Idempotency-Key: " + id,
                "Content-Length: 2",
                "Connection: close",
                "",
                "{}");
    }

    @Test
    void headersOfRequestsAreNoHeadersOfRecords() throws Exception {
        bench.send(
                bench.request(PATH)
                        .header("envelope.command", "another")
                        .header("envelope.timer", "x")
                        .header("ce_id", "y")
                        .POST(java.net.http.HttpRequest.BodyPublishers.ofString("{}")));

        assertThat(bench.commands.get(0).command().headers()).isEmpty();
    }

    @Test
    void nothingElseIsAtThePath() throws Exception {
        assertThat(bench.get(PATH).statusCode()).isEqualTo(405);
        assertThat(bench.get(PATH).headers().firstValue("Allow")).hasValue("POST");
        assertThat(bench.post("/v1/entities/a/b/messages", "{}").statusCode()).isEqualTo(404);
        assertThat(bench.post("/v1/entities/a/other", "{}").statusCode()).isEqualTo(404);
        assertThat(bench.get("/").statusCode()).isEqualTo(404);
        assertThat(bench.get("/metrics").statusCode()).isEqualTo(404);
    }

    @Test
    void aFaultOfOursIsNotExplainedToCallers() throws Exception {
        bench.outcome =
                command -> {
                    throw new IllegalStateException("secret");
                };

        HttpResponse<String> answer = bench.post(PATH, "{}");

        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.body()).doesNotContain("secret").contains("see the log");
    }
}
