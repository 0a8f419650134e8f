package dev.envelope.app.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.value.Secret;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.command.EntityReads.Read;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two processes: a row is read in the memory of the one that owns it. */
class OwnerReadsTest {

    private static final Secret TOKEN = new Secret("the token of all gateways");
    private static final String IN_MEMORY =
            "{\"key\":\"%s\",\"state\":{\"n\":1.50},\"version\":7,\"marks\":[{\"topic\":\"payments\","
                    + "\"partition\":3,\"nextOffset\":4712}],\"from\":\"memory\",\"ageMillis\":250}";

    private GatewayBench asked;
    private GatewayBench owner;

    @BeforeEach
    void open() throws Exception {
        asked = GatewayBench.open(TOKEN);
        owner = GatewayBench.open(TOKEN);
        owns("a/b ü");
        owner.memory.put("a/b ü", GatewayBench.inMemory("{\"n\":1.50}"));
        asked.rows.put("a/b ü", GatewayBench.entity("{\"n\":2}"));
    }

    @AfterEach
    void close() {
        asked.close();
        owner.close();
    }

    private void owns(String key) {
        asked.owners.put(key, GatewayBench.owner("127.0.0.1:" + owner.port()));
    }

    private HttpResponse<String> get(String path) throws Exception {
        return asked.send(asked.request(path).header("Authorization", "Bearer " + TOKEN.reveal()));
    }

    private String query(String from, String keys) throws Exception {
        return asked.send(
                        asked.request("/v1/entities/query?from=" + from)
                                .header("Authorization", "Bearer " + TOKEN.reveal())
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"keys\":[" + keys + "]}")))
                .body();
    }

    @Test
    void aRowIsReadInTheMemoryOfItsOwner() throws Exception {
        HttpResponse<String> answer = get("/v1/entities/a%2Fb%20%C3%BC?from=owner");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(IN_MEMORY.formatted("a/b ü"));
        assertThat(asked.reads).as("from the database").isEmpty();
        assertThat(asked.counted("envelope.gateway.reads", "result", "memory")).isEqualTo(1);
    }

    @Test
    void whoDoesNotAskForItReadsTheDatabase() throws Exception {
        assertThat(get("/v1/entities/a%2Fb%20%C3%BC").body()).contains("{\"n\":2}");
        assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=database").body()).contains("{\"n\":2}");
        assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=elsewhere").statusCode()).isEqualTo(400);
    }

    @Test
    void whatIsHereIsNotAskedForElsewhere() throws Exception {
        asked.memory.put("a/b ü", GatewayBench.inMemory("{\"n\":3}"));

        assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=owner").body()).contains("{\"n\":3}");
        assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=memory").body()).contains("{\"n\":3}");
    }

    /** Otherwise two processes that each take the other for the owner would ask for ever. */
    @Test
    void whoIsAskedForItsMemoryAsksNobody() throws Exception {
        HttpResponse<String> answer = get("/v1/entities/a%2Fb%20%C3%BC?from=memory");

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(owner.counted("envelope.gateway.reads", "result", "memory")).isZero();
    }

    @Test
    void whatTheOwnerDoesNotHaveIsReadInTheDatabase() throws Exception {
        owner.memory.clear();
        assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=owner").body()).contains("{\"n\":2}");

        owner.memory.put("a/b ü", GatewayBench.inMemory("{\"n\":1.50}"));
        assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=owner").body())
                .as("a process that has nothing is asked again at once")
                .contains("{\"n\":1.50}");
    }

    @Test
    void anOffsetIsAskedForWithTheRow() throws Exception {
        assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=owner&at-least=payments-3-4711").body())
                .isEqualTo(IN_MEMORY.formatted("a/b ü"));

        asked.read.complete(new Read.Found(GatewayBench.entity("{\"n\":9}")));
        assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=owner&at-least=payments-3-4712").body())
                .contains("{\"n\":9}");
    }

    /** It takes connections and says nothing, as a process that hangs. */
    @Test
    void anOwnerThatHangsHoldsUpOneReaderOnly() throws Exception {
        try (ServerSocket hangs = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            asked.owners.put("a/b ü", GatewayBench.owner("127.0.0.1:" + hangs.getLocalPort()));
            assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=owner").body()).contains("{\"n\":2}");

            long begun = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=owner").body())
                        .contains("{\"n\":2}");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("ten that waited")
                    .isLessThan(GatewayBench.PATIENCE.dividedBy(2));
        }
    }

    @Test
    void anOwnerThatIsGoneOrRefusesIsReadForInTheDatabase() throws Exception {
        owner.peers.show(Optional.empty());
        asked.peers.show(Optional.of(new Secret("another token than the owner's")));
        assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=owner").body()).contains("{\"n\":2}");

        asked.owners.put("a/b ü", GatewayBench.owner("no address"));
        assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=owner").body()).contains("{\"n\":2}");
    }

    @Test
    void aQueryIsAskedOfAllOwnersAndTheRestIsReadInTheDatabase() throws Exception {
        asked.memory.put("here", GatewayBench.inMemory("{\"n\":\"}]\"}"));
        asked.rows.put("row", GatewayBench.entity("{\"n\":4}"));

        String answer = query("owner", "\"a/b ü\",\"here\",\"row\",\"none\"");

        assertThat(answer)
                .startsWith("{\"entities\":[" + IN_MEMORY.formatted("a/b ü") + ",{\"key\":\"here\"")
                .contains("{\"key\":\"row\",\"state\":{\"n\":4}")
                .endsWith("],\"missing\":[\"none\"],\"oneMoment\":false}");
        assertThat(asked.reads).singleElement().isEqualTo(List.of("row", "none"));
    }

    @Test
    void aProcessThatIsAskedForItsMemoryTellsForEachKeyWhatItHas() throws Exception {
        asked.memory.put("here", GatewayBench.inMemory("{\"n\":1.50}"));

        assertThat(query("memory", "\"a/b ü\",\"here\""))
                .isEqualTo("{\"entities\":[null," + IN_MEMORY.formatted("here") + "]}");
        assertThat(query("memory", "\"here\",\"here\",\"a/b ü\""))
                .as("each has its place, since it is told by its place")
                .isEqualTo("{\"entities\":[" + IN_MEMORY.formatted("here") + ",null,null]}");
    }

    @Test
    void withoutADatabaseAQueryTellsWhatItHasAndWhatIsLeft() throws Exception {
        asked.readFails = new UnavailableException("down");

        assertThat(query("owner", "\"a/b ü\",\"row\""))
                .startsWith("{\"entities\":[" + IN_MEMORY.formatted("a/b ü") + "]")
                .endsWith("\"unanswered\":[\"row\"]}");
        assertThat(query("owner", "\"row\"")).contains("\"status\":503");
    }

    @Test
    void whoOwnsAKeyIsTold() throws Exception {
        assertThat(get("/v1/owner/a%2Fb%20%C3%BC").body())
                .isEqualTo(
                        "{\"key\":\"a/b ü\",\"topic\":\"payments\",\"partition\":5,\"instance\":\"web-2\","
                                + "\"address\":\"127.0.0.1:%d\",\"generation\":5}",
                        owner.port());
        assertThat(get("/v1/owner/nobody").statusCode()).isEqualTo(404);
        asked.areBrokersThere = false;
        assertThat(get("/v1/owner/nobody").statusCode()).isEqualTo(503);
        assertThat(get("/v1/entities/a%2Fb%20%C3%BC?from=owner").body()).contains("{\"n\":2}");
    }
}
