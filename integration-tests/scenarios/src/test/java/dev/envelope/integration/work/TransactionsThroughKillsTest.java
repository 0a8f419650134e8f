package dev.envelope.integration.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.soak.DatabaseCopy;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The program with {@code dedupe=store}: what its handler writes is there once, whatever happens.
 */
@Tag("cluster")
@ExtendWith(OneStack.class)
class TransactionsThroughKillsTest {

    private static final int KILLS = Integer.getInteger("work.kills", 3);
    private static final int RECORDS = 8_000 + KILLS * 2_000;
    private static final int MORE = 500;
    private static final int KEYS = 50;
    private static final String DEAD = "restored-dead";

    /** Rows, marks and checkpoints go back together; the brokers know more than they do. */
    @Tag("long")
    @Test
    void whatIsWrittenIsThereOnceBehindADatabaseThatWentBackAndSoAreDeadLetters(LocalStack stack) {
        String name = "restored";
        stack.topics().create(name, 4);
        stack.topics().create(DEAD, 1);
        Database database = stack.postgres().createDatabase("restored_book");
        Applications.execute(database, LedgerWork.TABLES);
        produce(stack, name, 0, RECORDS);
        RunningApp app =
                start(
                        stack,
                        name,
                        database,
                        "lives-on",
                        "dead.letter.topic=" + DEAD,
                        "retry.max.attempts=1");
        await().atMost(Duration.ofSeconds(90)).until(() -> entries(database) > 2_000);
        DatabaseCopy copy = DatabaseCopy.of(stack.postgres());
        Applications.produce(stack, List.of(new ProducerRecord<>(name, "key-0", "no number")));
        await().atMost(Duration.ofMinutes(2)).until(() -> isDone(database, RECORDS));
        await().atMost(Duration.ofSeconds(30)).until(() -> letters(stack).size() == 1);

        copy.restore();
        assertThat(entries(database)).as("what the copy has").isLessThan(RECORDS);
        produce(stack, name, RECORDS, MORE);
        await().atMost(Duration.ofMinutes(2)).until(() -> isDone(database, RECORDS + MORE));
        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).isZero();

        assertIsThereOnce(database, RECORDS + MORE);
        assertThat(app.log()).contains("the database went back; going back with it");
        await().atMost(Duration.ofSeconds(30)).until(() -> letters(stack).size() == 2);
        assertThat(new HashSet<>(letters(stack))).as("the same id each time").hasSize(1);
    }

    private static List<String> letters(LocalStack stack) {
        return Applications.committed(stack, DEAD, 1).stream()
                .map(it -> Applications.header(it, DeadLetters.ID))
                .toList();
    }

    private static boolean isDone(Database database, int records) {
        return entries(database) >= records
                && Applications.number(database, "SELECT count(*) FROM restored.done") == 0;
    }

    @Tag("long")
    @Test
    @Timeout(value = 40, unit = TimeUnit.MINUTES) // with many kills
    void whatIsWrittenIsThereOnceThroughKillsAndAFrozenProcess(LocalStack stack) {
        String name = "ledger";
        stack.topics().create(name, 4);
        Database database = stack.postgres().createDatabase("book");
        Applications.execute(database, LedgerWork.TABLES);
        produce(stack, name, 0, RECORDS);

        for (int kills = 1; kills <= KILLS; kills++) {
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
        await().atMost(Duration.ofMinutes(4)).until(() -> entries(database) >= RECORDS);
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

        assertIsThereOnce(database, RECORDS + MORE);
        System.out.printf(
                "transactions: %d kills, %,d messages, each written once%n", KILLS, RECORDS + MORE);

        List<String> withRows = Applications.settings(stack.bootstrapServers(), name, database);
        RunningApp refused = RunningApp.start(stack.workspace(), "ledger-rows", withRows);
        assertThat(refused.awaitExit()).isNotZero();
        assertThat(refused.log()).contains("were made with work");
    }

    private static void assertIsThereOnce(Database database, int records) {
        assertThat(entries(database)).isEqualTo(records);
        assertThat(Applications.number(database, "SELECT count(DISTINCT number) FROM ledger"))
                .isEqualTo(records);
        assertThat(Applications.number(database, "SELECT sum(n) FROM tally")).isEqualTo(records);
        assertThat(
                        Applications.number(
                                database,
                                "SELECT count(*) FROM (SELECT number < lag(number) OVER"
                                        + " (PARTITION BY key ORDER BY id) AS late FROM ledger) AS l"
                                        + " WHERE late"))
                .as("entries of a key that are not in order")
                .isZero();
    }

    private static RunningApp start(
            LocalStack stack, String name, Database database, String instance, String... more) {
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
                                "kafka.consumer.session.timeout.ms=1500",
                                "store.url=" + database.url(),
                                "store.user=" + database.user(),
                                "store.password=" + database.password(),
                                "http.listen=127.0.0.1:0"));
        settings.addAll(List.of(more));
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
