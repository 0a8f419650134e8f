package dev.envelope.app.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.command.EntityReads.AwayException;
import dev.envelope.idempotency.command.EntityReads.Read;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What readers of rows are told. */
class ReadsOverHttpTest {

    private static final String ENTITY =
            "{\"key\":\"%s\",\"state\":{\"n\":1.50},\"version\":7,\"marks\":[{\"topic\":\"payments\","
                    + "\"partition\":3,\"nextOffset\":4712}],"
                    + "\"updatedAt\":\"2026-11-23T03:00:00.120Z\",\"ageMillis\":250}";

    private GatewayBench bench;

    @BeforeEach
    void open() throws Exception {
        bench = GatewayBench.open();
        bench.rows.put("a/b", GatewayBench.entity("{\"n\":1.50}"));
        bench.rows.put("deleted", GatewayBench.entity(null));
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void aKeyIsReadAsItIsStored() throws Exception {
        HttpResponse<String> answer = bench.get("/v1/entities/a%2Fb");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(ENTITY.formatted("a/b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"deleted", "unknown", "query"})
    void aKeyWithoutAStateIsNotFound(String key) throws Exception {
        HttpResponse<String> answer = bench.get("/v1/entities/" + key);

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValue("application/problem+json");
        assertThat(bench.counted("envelope.gateway.reads", "result", "missing")).isEqualTo(1);
    }

    @Test
    void aReadWaitsForAnOffset() throws Exception {
        bench.read = CompletableFuture.completedFuture(new Read.Found(bench.rows.get("a/b")));

        assertThat(bench.get("/v1/entities/a?at-least=pay-ments-3-4711&wait=2s").body())
                .isEqualTo(ENTITY.formatted("a"));
        assertThat(bench.reads)
                .containsExactly(
                        List.of(
                                "a",
                                "LogPosition[topic=pay-ments, partition=3, offset=4711]",
                                "PT2S"));
        bench.get("/v1/entities/a?at-least=pay-ments-3-4711");
        assertThat(bench.reads.get(1)).contains("PT5S");
    }

    @Test
    void aReadThatCanNotBeAnsweredSaysWhy() throws Exception {
        String path = "/v1/entities/a?at-least=payments-3-4711";
        bench.read = CompletableFuture.completedFuture(new Read.TimeOver());
        assertThat(bench.get(path).statusCode()).isEqualTo(504);
        assertThat(bench.get(path).body())
                .contains("payments-3-4711 was not applied within 5000 ms");
        bench.read = CompletableFuture.completedFuture(new Read.UnknownPartition("no such"));
        assertThat(bench.get(path).statusCode()).isEqualTo(400);
        bench.read = CompletableFuture.completedFuture(new Read.Recreated("made again"));
        assertThat(bench.get(path).statusCode()).isEqualTo(409);
        assertThat(bench.get(path).body()).contains("made again");
        assertThat(bench.get("/v1/entities/a?at-least=payments").statusCode()).isEqualTo(400);
        assertThat(bench.get("/v1/entities/a?at-least=p-3-x").statusCode()).isEqualTo(400);
        assertThat(bench.get(path + "&wait=1h").statusCode()).isEqualTo(400);
    }

    @Test
    void aDatabaseThatIsAwayIsSaid() throws Exception {
        bench.readFails = new UnavailableException("10.1.2.3 does not answer");

        HttpResponse<String> answer = bench.get("/v1/entities/a");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(answer.body())
                .contains("the database does not answer")
                .doesNotContain("10.1.2.3");
    }

    @Test
    void aPlaceThatIsAwayIsNamed() throws Exception {
        bench.readFails = new AwayException("b", "10.1.2.3 does not answer");

        HttpResponse<String> answer = bench.get("/v1/entities/a");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(answer.body())
                .contains("\"detail\":\"place b: the database does not answer\"")
                .contains("\"place\":\"b\"")
                .doesNotContain("10.1.2.3");
    }

    @Test
    void aQueryOverSeveralPlacesTellsWhichKeysAreMissingAndWhoIsAway() throws Exception {
        bench.ofAwayPlace = Set.of("x");

        HttpResponse<String> answer =
                bench.post("/v1/entities/query", "{\"keys\":[\"a/b\",\"deleted\",\"x\"]}");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .isEqualTo(
                        ("{\"entities\":[%s],\"missing\":[\"deleted\"],\"oneMoment\":false,"
                                        + "\"unanswered\":[\"x\"],\"away\":[\"b\"]}")
                                .formatted(ENTITY.formatted("a/b")));
        assertThat(bench.counted("envelope.gateway.reads", "result", "unavailable")).isEqualTo(1);
    }

    @Test
    void severalKeysAreReadTogetherEachOnce() throws Exception {
        HttpResponse<String> answer =
                bench.post("/v1/entities/query", "{\"keys\":[\"a/b\",\"deleted\",\"x\",\"a/b\"]}");

        assertThat(answer.statusCode()).isEqualTo(200);
        String entity = ENTITY.formatted("a/b");
        assertThat(answer.body())
                .isEqualTo("{\"entities\":[%s],\"missing\":[\"deleted\",\"x\"]}".formatted(entity));
        assertThat(bench.reads).containsExactly(List.of("a/b", "deleted", "x"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{}",
                "{\"keys\":[]}",
                "{\"keys\":\"a\"}",
                "{\"keys\":[1]}",
                "{\"keys\":[\"\\u0000\"]}",
                "{\"keys\":[\"\\ud800\"]}"
            })
    void aQueryThatIsNoneIsRefused(String body) throws Exception {
        assertThat(bench.post("/v1/entities/query", body).statusCode()).isEqualTo(400);
        assertThat(bench.reads).isEmpty();
    }

    @Test
    void aThousandKeysAreEnough() throws Exception {
        assertThat(bench.post("/v1/entities/query", keys(1_000)).statusCode()).isEqualTo(200);
        assertThat(bench.post("/v1/entities/query", keys(1_001)).statusCode()).isEqualTo(400);
    }

    /** A tree of JSON takes many times the memory of its text. */
    @Test
    void aQueryWithMuchBesideItsKeysIsRefused() throws Exception {
        String query = "{\"keys\":[\"a\"],\"more\":[%s]}";

        assertThat(bench.post("/v1/entities/query", query.formatted("0")).statusCode())
                .isEqualTo(200);
        assertThat(
                        bench.post("/v1/entities/query", query.formatted("0,".repeat(3_000) + "0"))
                                .statusCode())
                .isEqualTo(400);
        assertThat(
                        bench.post(
                                        "/v1/entities/query",
                                        query.formatted("[".repeat(20) + "]".repeat(20)))
                                .statusCode())
                .isEqualTo(400);
        assertThat(bench.counted("envelope.gateway.reads", "result", "found")).isEqualTo(1);
        assertThat(bench.counted("envelope.gateway.refused", "status", "400")).isEqualTo(2);
    }

    private static String keys(int number) {
        return IntStream.range(0, number)
                .mapToObj(it -> "\"" + it + "\"")
                .collect(Collectors.joining(",", "{\"keys\":[", "]}"));
    }

    @Test
    void everythingThatIsAnsweredIsDescribedAndNothingElse() throws Exception {
        JsonNode description =
                JsonMapper.builder().build().readTree(bench.get("/v1/openapi.json").body());
        Set<String> described = new TreeSet<>();
        description
                .at("/paths")
                .properties()
                .forEach(
                        path ->
                                path.getValue()
                                        .propertyNames()
                                        .forEach(
                                                method ->
                                                        described.add(
                                                                method.toUpperCase(Locale.ROOT)
                                                                        + " "
                                                                        + path.getKey())));
        assertThat(described)
                .containsExactlyInAnyOrder(
                        "GET /v1/openapi.json",
                        "GET /v1/entities/{key}",
                        "GET /v1/owner/{key}",
                        "POST /v1/entities/{key}/messages",
                        "POST /v1/entities/query");
        bench.read = CompletableFuture.completedFuture(new Read.TimeOver());
        check(description, "get", "/v1/entities/{key}", bench.get("/v1/entities/a%2Fb"));
        check(description, "get", "/v1/entities/{key}", bench.get("/v1/entities/none"));
        check(description, "get", "/v1/entities/{key}", bench.get("/v1/entities/a?at-least=p-1-1"));
        check(description, "post", "/v1/entities/query", bench.post("/v1/entities/query", keys(1)));
        bench.memory.put("0", GatewayBench.inMemory("{}"));
        bench.owners.put("0", GatewayBench.owner("10.0.0.2:8090"));
        String owner = "/v1/owner/{key}";
        String query = "/v1/entities/query";
        check(description, "get", owner, bench.get("/v1/owner/0"));
        check(description, "get", owner, bench.get("/v1/owner/none"));
        check(description, "get", "/v1/entities/{key}", bench.get("/v1/entities/0?from=memory"));
        check(description, "post", query, bench.post(query + "?from=memory", keys(2)));
        check(description, "post", query, bench.post(query + "?from=owner", keys(2)));
        check(
                description,
                "post",
                "/v1/entities/{key}/messages",
                bench.post("/v1/entities/a/messages", "{}"));
    }

    /** The status is described, and the names in the answer are. */
    private static void check(
            JsonNode description, String method, String path, HttpResponse<String> answer) {
        JsonNode response =
                description
                        .path("paths")
                        .path(path)
                        .path(method)
                        .path("responses")
                        .path(Integer.toString(answer.statusCode()));
        assertThat(response.isMissingNode()).as(path + " " + answer.statusCode()).isFalse();
        String type = answer.headers().firstValue("Content-Type").orElseThrow();
        JsonNode schema =
                resolved(
                        description,
                        resolved(description, response).path("content").path(type).path("schema"));
        assertThat(schema.path("properties").propertyNames())
                .as(path + " " + answer.statusCode())
                .containsAll(
                        JsonMapper.builder()
                                .build()
                                .readTree(answer.body())
                                .propertyNames()
                                .stream()
                                .filter(it -> !it.equals("error"))
                                .toList());
    }

    private static JsonNode resolved(JsonNode description, JsonNode node) {
        String reference = node.path("$ref").asString("");
        return reference.isEmpty() ? node : description.at(reference.substring(1));
    }
}
