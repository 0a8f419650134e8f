package dev.envelope.app.commands.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the commands print of what a process answers. */
class RemoteCommandsTest extends RemoteFixture {

    @Test
    void stuckSaysItInSentencesAndInItsExitCode() {
        answers.put("/api/stuck", "{\"stuck\":true,\"findings\":[\"a waits for b\"]}");
        assertThat(execute("stuck")).isEqualTo(1);
        assertThat(out.toString().strip()).isEqualTo("a waits for b");

        answers.put("/api/stuck", "{\"stuck\":false,\"findings\":[\"nothing is stuck\"]}");
        assertThat(execute("stuck")).isZero();
    }

    @Test
    void everyCommandPrintsItsAnswerAsJsonWhenAsked() {
        for (String path : List.of("status", "stuck", "partitions", "keys", "pool")) {
            answers.put("/api/" + path, "{\"is\":\"" + path + "\"}");
        }
        execute("status", "--json");
        execute("stuck", "--json");
        execute("lag", "--json");
        execute("key", "a b", "--json");
        execute("pool", "show", "--json");
        execute("pool", "--json");

        assertThat(out.toString().lines())
                .containsExactly(
                        "{\"is\":\"status\"}",
                        "{\"is\":\"stuck\"}",
                        "{\"is\":\"partitions\"}",
                        "{\"is\":\"keys\"}",
                        "{\"is\":\"pool\"}",
                        "{\"is\":\"pool\"}");
        assertThat(asked).contains("GET /api/keys?key=a+b");
    }

    @Test
    void aKeyIsShownWithItsRowAndWhatItIsDoing() {
        answers.put(
                "/api/keys",
                "{\"key\":\"k\",\"row\":{\"deleted\":false,\"state\":{\"n\":1},\"version\":3,"
                        + "\"updatedAt\":\"2026-01-01T00:00:00Z\",\"parked\":2,\"marks\":[{\"topic\":"
                        + "\"t\",\"partition\":1,\"nextOffset\":17}]},\"now\":{\"inWords\":\"failed\","
                        + "\"forMillis\":1500,\"messagesOfKey\":4,\"failedAttempts\":2,"
                        + "\"trouble\":\"no\"},\"timers\":[{\"name\":\"expires\","
                        + "\"dueAt\":\"2026-01-02T00:00:00Z\",\"firedAt\":null}]}");

        assertThat(execute("key", "k")).isZero();
        assertThat(out.toString())
                .contains("\"k\"  version 3, updated 2026-01-01T00:00:00Z")
                .contains("{\"n\":1}")
                .contains("t-1 below offset 17")
                .contains("timer    expires, due 2026-01-02T00:00:00Z")
                .contains("failed, for 1.5 s; 4 messages; 2 failed attempts, last with no");
    }

    @Test
    void whatIsHeldBackIsAskedForWithItsTimeAndListed() {
        answers.put("/api/keys/pause", "{\"paused\":\"a b\"}");
        answers.put(
                "/api/pauses",
                "{\"pauses\":[{\"kind\":\"key\",\"name\":\"a b\",\"by\":\"me\",\"since\":\"S\","
                        + "\"until\":null},{\"kind\":\"partition\",\"name\":\"t-1\",\"by\":\"me\","
                        + "\"since\":\"S\",\"until\":\"U\"}]}");

        assertThat(execute("pause", "--key", "a b", "--for", "2h")).isZero();
        assertThat(execute("paused")).isZero();
        assertThat(execute("pause", "all", "--for", "2h")).isEqualTo(64);
        assertThat(execute("pause", "t-1", "--for", "two")).isEqualTo(64);

        assertThat(asked).containsExactly("POST /api/keys/pause?key=a+b&for=2h", "GET /api/pauses");
        assertThat(out.toString().lines())
                .containsExactly(
                        "paused: a b",
                        "key \"a b\"  until it is resumed; by me since S",
                        "t-1  until U; by me since S");
    }

    @Test
    void workersAreAddedOverPost() {
        answers.put("/api/pool/add", "{\"size\":6,\"busy\":1,\"turns\":3}");

        assertThat(execute("pool", "add", "2")).isZero();
        assertThat(asked).contains("POST /api/pool/add?count=2");
        assertThat(out.toString()).startsWith("6 workers, 1 busy");

        out.getBuffer().setLength(0);
        answers.put("/api/pool/add", "{\"size\":1,\"busy\":1,\"turns\":1}");
        assertThat(execute("pool", "add", "2")).isZero();
        assertThat(out.toString()).startsWith("1 worker, 1 busy").contains("1 turn, 0 handlers");
    }

    @Test
    void aDrainWaitsUntilAllIsSavedAndCommitted() {
        answers.put("/api/drain", "{\"drained\":false,\"inFlight\":1,\"uncommitted\":1}");
        assertThat(execute("drain", "--timeout", "1")).isEqualTo(1);
        assertThat(asked).startsWith("POST /api/drain", "GET /api/drain");

        answers.put("/api/drain", "{\"drained\":true,\"inFlight\":0,\"uncommitted\":0}");
        assertThat(execute("drain", "--timeout", "1")).isZero();
    }

    @Test
    void theDoctorWritesOneFileWithEverythingButSecretsAndStates(@TempDir Path folder)
            throws IOException {
        answers.put(
                "/api/config",
                "{\"settings\":[{\"name\":\"store.password\",\"value\":\"******\"}]}");
        answers.put("/api/stuck", "{\"findings\":[\"a waits for b\"]}");
        Path file = folder.resolve("report.json");

        assertThat(execute("doctor", "--to", file.toString())).isZero();
        assertThat(out.toString().strip()).isEqualTo(file.toString());
        assertThat(err.toString().strip()).isEqualTo("a waits for b");
        assertThat(Files.readString(file))
                .contains("a waits for b")
                .contains("store.password")
                .contains("kafkaClients")
                .contains("\"metrics\"");
        assertThat(asked).noneMatch(it -> it.contains("/api/keys") || it.contains("/api/parked"));

        server.stop(0);
        assertThat(execute("doctor", "--to", file.toString())).isEqualTo(69);
        assertThat(Files.readString(file)).contains("unreachable");
    }

    @Test
    void statusPrintsALineASecondWhereNobodyLooksOn() throws InterruptedException {
        answers.put(
                "/api/status",
                "{\"state\":\"RUNNING\",\"ready\":true,\"lag\":7,\"inFlight\":3,"
                        + "\"oldestUnackedMillis\":1500,\"totals\":{\"records\":9}}");
        Thread looking = new Thread(() -> execute("status"));
        looking.start();
        for (int i = 0; i < 100 && out.toString().lines().count() < 2; i++) {
            looking.join(100);
        }
        looking.interrupt();
        looking.join(10_000);

        assertThat(looking.isAlive()).isFalse();
        assertThat(out.toString().lines())
                .hasSizeGreaterThanOrEqualTo(2)
                .allMatch(
                        it -> it.startsWith("RUNNING lag 7  saved 0/s  in flight 3  oldest 1.5 s"));
    }

    @Test
    void onAScreenAProcessIsSeenToGoAndToComeAgain() throws InterruptedException {
        answers.put("/api/status", "{\"state\":\"RUNNING\",\"ready\":true}");
        endsAfter = 1;
        isScreen = true;
        Thread looking = new Thread(() -> execute("status"));
        looking.start();
        awaitWords(looking, "503");
        endsAfter = Integer.MAX_VALUE;
        out.getBuffer().setLength(0);
        awaitWords(looking, "RUNNING, ready");
        looking.interrupt();
        looking.join(10_000);

        assertThat(out.toString()).contains("RUNNING, ready").contains("; 0 in the last second");
        assertThat(looking.isAlive()).isFalse();
    }

    @Test
    void whatIsParkedIsListedOverHttpToo() {
        answers.put(
                "/api/parked",
                "{\"keys\":[{\"key\":\"a\",\"messages\":2,\"position\":7,\"first\":\"t-0@1\","
                        + "\"reason\":\"handler\",\"attempts\":1,\"error\":\"no\",\"since\":\"S\"}],"
                        + "\"more\":true,\"reasons\":{},\"withoutRow\":{\"null-key\":3}}");
        List<String> listed =
                List.of(
                        "\"a\"  2 parked since S; the first, t-0@1, handler after 1 attempt: \"no\"",
                        "1 of more keys; go on with --after 7",
                        "without a row: 3 null-key");

        assertThat(execute("parked", "list", "--limit", "1", "--reason", "x y")).isZero();
        assertThat(out.toString().lines()).containsExactlyElementsOf(listed);
        out.getBuffer().setLength(0);
        assertThat(execute("parked", "--limit", "1")).isZero();
        assertThat(out.toString().lines()).containsExactlyElementsOf(listed);
        assertThat(asked)
                .containsExactly(
                        "GET /api/parked?limit=1&after=0&reason=x+y",
                        "GET /api/parked?limit=1&after=0");

        assertThat(execute("parked", "show", "a")).isEqualTo(64);
        assertThat(err.toString()).contains("envelope parked show looks into the database");
    }

    @Test
    void lagIsATableOfPartitions() {
        answers.put(
                "/api/partitions",
                "{\"partitions\":[{\"topic\":\"payments\",\"partition\":3,\"lag\":1234,"
                        + "\"committed\":10,\"position\":20,\"unacked\":5,\"oldestUnackedMillis\":2500,"
                        + "\"pausedBecause\":\"enough is in flight\"}]}");

        assertThat(execute("lag")).isZero();
        assertThat(out.toString())
                .contains("payments-3")
                .contains("1,234")
                .contains("2.5 s  enough is in flight");
    }

    @Test
    void outputsThatWaitAreALineOfTheStatus() {
        String sent =
                "{\"ready\":true,\"outputs\":{\"waiting\":%d,\"oldestMillis\":2500,\"sent\":9}}";
        answers.put("/api/status", sent.formatted(0));
        assertThat(execute("status", "--once")).isZero();
        assertThat(out.toString()).doesNotContain("outputs");

        answers.put("/api/status", sent.formatted(1_234));
        assertThat(execute("status", "--once")).isZero();
        assertThat(out.toString())
                .contains("outputs   1,234 wait for Kafka, the first for 2.5 s; 9 sent");
    }

    @Test
    void slotsAreALineOfTheStatusWhereTheyDivideThePartitions() {
        answers.put("/api/status", "{\"ready\":true}");
        assertThat(execute("status", "--once")).isZero();
        assertThat(out.toString()).doesNotContain("slots");

        answers.put(
                "/api/status",
                "{\"ready\":true,\"slots\":{\"count\":3,\"holders\":[{\"slot\":0,\"instance\":\"web-1\","
                        + "\"ours\":false},{\"slot\":1,\"instance\":\"web-2\",\"ours\":true}],"
                        + "\"free\":[2],\"waiting\":[\"web-3\"],"
                        + "\"change\":\"from 2 to 3 slots when these know it: web-1\"}}");
        assertThat(execute("status", "--once")).isZero();
        assertThat(out.toString())
                .contains(
                        "slots     0 web-1, 1 this process, 2 nobody, web-3 waits,"
                                + " from 2 to 3 slots when these know it: web-1");
    }

    @Test
    void withoutRowsNoneAreCounted() {
        answers.put(
                "/api/status",
                "{\"ready\":true,\"mode\":\"work\",\"totals\":{\"records\":7,\"deadLettered\":1}}");

        assertThat(execute("status", "--once")).isZero();
        assertThat(out.toString())
                .contains("handled   7 messages")
                .contains("1 dead letter")
                .doesNotContain("row");
    }
}
