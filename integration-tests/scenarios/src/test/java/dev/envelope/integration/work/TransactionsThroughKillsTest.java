package dev.envelope.integration.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The program with {@code dedupe=store}: what its handler writes is there once, whatever happens.
 */
@Tag("cluster")
@ExtendWith(OneStack.class)
class TransactionsThroughKillsTest {

    private static final int RECORDS = 30_000;
    private static final int MORE = 500;
    private static final int KEYS = 50;

    @Test
    void whatIsWrittenIsThereOnceThroughKillsAndAFrozenProcess(LocalStack stack) {
        String name = "ledger";
        stack.topics().create(name, 4);
        Database database = stack.postgres().createDatabase("book");
        Applications.execute(database, LedgerWork.TABLES);
        produce(stack, name, 0, RECORDS);

        for (int kills = 1; kills <= 6; kills++) {
            long before = entries(database);
            RunningApp app = start(stack, name, database, "killed-" + kills);
            await().atMost(Duration.ofSeconds(90)).until(() -> entries(database) > before + 500);
            app.process().kill();
        }
        assertThat(entries(database)).as("killed in the middle").isLessThan(RECORDS);

        long before = entries(database);
        RunningApp frozen = start(stack, name, database, "frozen");
        await().atMost(Duration.ofSeconds(90)).until(() -> entries(database) > before + 500);
        frozen.process().pause();
        RunningApp other = start(stack, name, database, "other");
        await().atMost(Duration.ofMinutes(2)).until(() -> entries(database) >= RECORDS);
        frozen.process().resume();
        produce(stack, name, RECORDS, MORE);
        await().atMost(Duration.ofSeconds(90)).until(() -> entries(database) >= RECORDS + MORE);
        await().atMost(Duration.ofSeconds(60))
                .until(
                        () ->
                                Applications.number(database, "SELECT count(*) FROM ledger.done")
                                        == 0);
        other.awaitReady();
        assertThat(other.get("/api/pauses").statusCode()).isEqualTo(200);
        assertThat(other.get("/api/keys/key-1").body()).contains("keeps no rows");
        for (RunningApp app : List.of(frozen, other)) {
            app.signal(Signal.TERM);
            assertThat(app.awaitExit()).isZero();
        }

        assertThat(entries(database)).isEqualTo(RECORDS + MORE);
        assertThat(Applications.number(database, "SELECT count(DISTINCT number) FROM ledger"))
                .isEqualTo(RECORDS + MORE);
        assertThat(Applications.number(database, "SELECT sum(n) FROM tally"))
                .isEqualTo(RECORDS + MORE);
        assertThat(
                        Applications.number(
                                database,
                                "SELECT count(*) FROM (SELECT number < lag(number) OVER"
                                        + " (PARTITION BY key ORDER BY id) AS late FROM ledger) AS l"
                                        + " WHERE late"))
                .as("entries of a key that are not in order")
                .isZero();

        List<String> withRows = Applications.settings(stack.bootstrapServers(), name, database);
        RunningApp refused = RunningApp.start(stack.workspace(), "ledger-rows", withRows);
        assertThat(refused.awaitExit()).isNotZero();
        assertThat(refused.log()).contains("were made with work");
    }

    private static RunningApp start(
            LocalStack stack, String name, Database database, String instance) {
        List<String> settings =
                new ArrayList<>(
                        List.of(
                                "application.id=" + name,
                                "bootstrap.servers=" + stack.bootstrapServers(),
                                "topics=" + name,
                                "instance.name=" + instance,
                                "mode=work",
                                "dedupe=store",
                                "handler=" + LedgerWork.class.getName(),
                                "value.format=string",
                                "pool.size=8",
                                "store.url=" + database.url(),
                                "store.user=" + database.user(),
                                "store.password=" + database.password(),
                                "http.listen=127.0.0.1:0"));
        return RunningApp.start(stack.workspace(), name + "-" + instance, settings);
    }

    private static void produce(LocalStack stack, String topic, int first, int records) {
        Applications.produce(
                stack,
                IntStream.range(first, first + records)
                        .mapToObj(
                                i ->
                                        new ProducerRecord<>(
                                                topic, "key-" + i % KEYS, Integer.toString(i)))
                        .toList());
    }

    private static long entries(Database database) {
        return Applications.number(database, "SELECT count(*) FROM ledger");
    }
}
