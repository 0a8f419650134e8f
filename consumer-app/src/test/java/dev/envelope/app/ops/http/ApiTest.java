package dev.envelope.app.ops.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.ops.SampleStatus;
import dev.envelope.app.ops.api.ApiBench;
import dev.envelope.core.api.Doing;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.status.Holdup;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What can be asked of a process and done to it over HTTP, and by whom. */
class ApiTest extends ApiFixture {

    @Test
    void whatIsStuckIsToldInASentenceWithTheKeyTheErrorAndWhatWaitsBehindIt() throws Exception {
        bench.holdups.add(
                new Holdup(
                        SampleStatus.partition(1, ""),
                        ApiBench.name(110, "account-7"),
                        new Standing(
                                Doing.RETRYING, 0, 5, 3, "IllegalStateException: no such account"),
                        Duration.ofSeconds(12)));

        assertThat(send("GET", "/api/stuck").body())
                .contains("\"stuck\":true")
                .contains(
                        "payments-1 waits for message payments-1@110 of key \\\"account-7\\\", which"
                                + " is here for 62 s: failed, and waits for its next attempt (for 12 s,"
                                + " after 3 failed attempts, last with IllegalStateException: no such"
                                + " account). Behind it wait 4 messages of its key and 9 of the"
                                + " partition in all")
                .contains("payments-1 is not fetched: enough is in flight")
                .contains("\"offset\":110,\"key\":\"account-7\"")
                .contains("\"doing\":\"RETRYING\"");
    }

    @Test
    void whatIsOnItsWayIsNotStuck() throws Exception {
        bench.isThere = false;

        assertThat(send("GET", "/api/stuck").body()).contains("\"partitions\":[]");
    }

    @Test
    void everythingThatIsAnsweredIsDescribedAndNothingElse() throws Exception {
        JsonNode paths =
                JsonMapper.builder()
                        .build()
                        .readTree(send("GET", "/api/openapi.json").body())
                        .at("/paths");
        Set<String> described = new TreeSet<>();
        paths.properties()
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
        Set<String> answered = new TreeSet<>();
        bench.api().routes().forEach(it -> answered.add(it.method() + " " + it.path()));

        assertThat(described).isEqualTo(answered);
        for (String route : answered) {
            String path = route.substring(route.indexOf(' ') + 1).replaceAll("\\{\\w+}", "1");
            if (!path.equals("/api/live")) {
                assertThat(send(route.substring(0, route.indexOf(' ')), path).statusCode())
                        .as(route)
                        .isNotIn(404, 405, 500);
            }
        }
    }

    @Test
    void partitionsPoolAndSettingsCanBeLookedAt() throws Exception {
        assertThat(send("GET", "/api/partitions").body())
                .contains(
                        "{\"topic\":\"payments\",\"partition\":0,\"owner\":\"here-1\",\"epoch\":3")
                .contains("\"committed\":100,\"end\":125,\"lag\":15");
        assertThat(send("GET", "/api/pool").body()).contains("\"size\":4,\"busy\":1");
        assertThat(send("GET", "/api/config").body())
                .contains(
                        "{\"name\":\"pool.size\",\"value\":\"4\",\"origin\":\"consumer.properties:12\"}")
                .contains("{\"name\":\"store.password\",\"value\":\"********\"");
    }

    @Test
    void thePoolIsInspectedByTheNamesOfOtherPools() throws Exception {
        assertThat(send("GET", "/api/pool/inspect").body())
                .startsWith(
                        "{\"pool_size\":4,\"worker_behavior\":\"fold(count)\","
                                + "\"worker_mailbox_size\":1048576,\"pool_capacity\":1048576,"
                                + "\"worker_restarts\":1,"
                                + "\"messages_forwarded\":9,\"messages_unhandled\":3,")
                .endsWith("\"busy_ratio\":0.25}");
        assertThat(send("GET", "/api/pool/inspect?item=pool_size,worker_restarts").body())
                .isEqualTo("{\"pool_size\":4,\"worker_restarts\":1}");
        HttpResponse<String> unknown = send("GET", "/api/pool/inspect?item=pool");
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(unknown.body()).contains("pool_size");
    }

    @Test
    void withoutADatabaseWhatStandsInItCanNotBeAnsweredAndThatIsSaid() throws Exception {
        HttpResponse<String> answer = send("GET", "/api/keys?key=account-7");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).contains("1");
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValueSatisfying(it -> assertThat(it).startsWith("application/problem+json"));
        assertThat(answer.body())
                .startsWith("{\"title\":\"Service Unavailable\",\"status\":503,\"detail\":\"")
                .contains("127.0.0.1");
        assertThat(send("GET", "/api/parked").statusCode()).isEqualTo(503);
        assertThat(send("GET", "/api/keys").statusCode()).isEqualTo(400);
        assertThat(change("/api/parked/drop?id=1&key=a").statusCode()).isEqualTo(400);
        assertThat(change("/api/parked/drop?id=one").body()).contains("id is not a number");
    }

    @Test
    void theSameIsAskedForManyKeysThatAreSelectedAndCounted() throws Exception {
        assertThat(send("GET", "/api/parked/bulk").body()).isEqualTo("{\"running\":false}");
        assertThat(send("GET", "/api/parked/selected").body()).contains("which keys? all=true");
        assertThat(send("GET", "/api/parked/selected?all=true&why=null-key").statusCode())
                .isEqualTo(400);
        assertThat(send("GET", "/api/parked/selected?since=today").body())
                .contains("since is a time as in");
        assertThat(send("GET", "/api/parked/selected?all=true").statusCode()).isEqualTo(503);
        assertThat(send("POST", "/api/parked/bulk?action=drop&keys=3&all=true").statusCode())
                .isEqualTo(401);
        assertThat(change("/api/parked/bulk?action=burn&keys=3&all=true").body())
                .contains("action is redrive, skip-failing, skip, drop");
        assertThat(change("/api/parked/bulk?action=drop&all=true").body()).contains("wants ?keys=");
        assertThat(change("/api/parked/bulk?action=drop&keys=3&all=true").statusCode())
                .isEqualTo(503);
        assertThat(change("/api/parked/bulk/stop").statusCode()).isEqualTo(409);
    }

    @Test
    void workersAreAddedAndRemovedByWhoHasTheToken() throws Exception {
        assertThat(change("/api/pool/add?count=2").statusCode()).isEqualTo(200);
        assertThat(change("/api/pool/remove").statusCode()).isEqualTo(200);
        assertThat(change("/api/pool/remove?count=4").statusCode()).as("none left").isEqualTo(400);
        assertThat(change("/api/pool/add?count=two").statusCode()).isEqualTo(400);

        assertThat(bench.done).containsExactly("size 6", "size 3");
        assertThat(send("GET", "/api/config").body())
                .contains(
                        "{\"name\":\"pool.size\",\"value\":\"3\",\"origin\":\"changed while it ran,"
                                + " by http 127.0.0.1\"}");
        assertThat(bench.timeline.newestFirst().stream().map(it -> it.text()))
                .containsExactlyInAnyOrder("pool.size 4 -> 6", "pool.size 4 -> 3");
    }

    @Test
    void partitionsArePausedAndResumedByTheirNames() throws Exception {
        assertThat(change("/api/pause?partition=payments-1").statusCode()).isEqualTo(202);
        assertThat(change("/api/resume?partition=all").statusCode()).isEqualTo(202);
        HttpResponse<String> unknown = change("/api/pause?partition=payments-7");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(unknown.body()).contains("the application reads no such partition");
        assertThat(change("/api/pause?partition=payments-0&for=2h").statusCode()).isEqualTo(202);
        assertThat(change("/api/pause?partition=payments-0&for=two").statusCode()).isEqualTo(400);
        assertThat(change("/api/pause?partition=all&for=2h").statusCode()).isEqualTo(400);
        assertThat(change("/api/resume?partition=payments-0").statusCode()).isEqualTo(202);
        assertThat(change("/api/resume?partition=other").statusCode()).isEqualTo(404);

        assertThat(bench.done)
                .containsExactly(
                        "pause PARTITION payments-1 Optional.empty http 127.0.0.1",
                        "resume all",
                        "pause PARTITION payments-7 Optional.empty http 127.0.0.1",
                        "pause PARTITION payments-0 Optional[PT2H] http 127.0.0.1",
                        "resume PARTITION payments-0",
                        "resume PARTITION other");
        assertThat(bench.looksAtPauses).isEqualTo(5);
    }

    @Test
    void aPauseThatCannotBeWrittenDownIsRefusedWithTheReason() throws Exception {
        HttpResponse<String> away = change("/api/keys/pause?key=away");
        assertThat(away.statusCode()).isEqualTo(503);
        assertThat(away.body()).contains("the database is away");

        HttpResponse<String> tooMany = change("/api/keys/pause?key=one%20more");
        assertThat(tooMany.statusCode()).isEqualTo(409);
        assertThat(tooMany.body()).contains("10,000 keys and partitions are paused");
    }

    @Test
    void whatIsHeldBackIsListed() throws Exception {
        assertThat(send("GET", "/api/pauses").body())
                .isEqualTo(
                        "{\"pauses\":[{\"kind\":\"key\",\"name\":\"a b\",\"by\":\"me\","
                                + "\"since\":\"1970-01-01T00:00:00Z\",\"until\":null}]}");
    }

    @Test
    void aDrainPausesAllAndSaysHowFarItIs() throws Exception {
        HttpResponse<String> answer = change("/api/drain");

        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body())
                .isEqualTo("{\"drained\":false,\"inFlight\":20,\"uncommitted\":40}");
        assertThat(send("GET", "/api/drain").body()).isEqualTo(answer.body());
        assertThat(bench.done).containsExactly("pause all");
    }

    @Test
    void aKeyIsHeldBackAndLetGo() throws Exception {
        assertThat(change("/api/keys/pause?key=a%20b").body()).isEqualTo("{\"paused\":\"a b\"}");
        assertThat(change("/api/keys/resume?key=paused").statusCode()).isEqualTo(200);
        assertThat(change("/api/keys/resume?key=other").statusCode()).isEqualTo(404);

        assertThat(bench.done)
                .containsExactly(
                        "pause KEY a b Optional.empty http 127.0.0.1",
                        "resume KEY paused",
                        "resume KEY other");
    }

    @Test
    void beforeThereIsAnEngineNothingCanBeTurned() throws Exception {
        bench.isThere = false;

        assertThat(change("/api/pool/add").statusCode()).isEqualTo(503);
        assertThat(send("GET", "/api/drain").statusCode()).isEqualTo(503);
        assertThat(send("GET", "/api/stuck").statusCode()).isEqualTo(200);
    }

    @Test
    void aKeyInThePathMayHaveASlash() throws Exception {
        HttpResponse<String> answer = send("GET", "/api/keys/a%2Fb");
        assertThat(answer.statusCode()).as("it is looked for").isEqualTo(503);
        assertThat(send("GET", "/api/keys/a/b").statusCode()).isEqualTo(404);
        assertThat(send("GET", "/api/pool/").statusCode()).isEqualTo(200);
        assertThat(send("HEAD", "/api/pool").statusCode()).isEqualTo(200);
    }

    @Test
    void whatIsRefusedIsSaidInOneForm() throws Exception {
        for (String path :
                List.of("/nowhere", "/api/keys", "/api/keys?key=%ff", "/api/pool/inspect?item=x")) {
            HttpResponse<String> answer = send("GET", path);
            assertThat(answer.headers().firstValue("Content-Type"))
                    .as(path)
                    .hasValueSatisfying(
                            it -> assertThat(it).startsWith("application/problem+json"));
            assertThat(answer.body())
                    .contains("\"title\":", "\"status\":" + answer.statusCode(), "\"detail\":")
                    .doesNotContain("jetty");
        }
    }
}
