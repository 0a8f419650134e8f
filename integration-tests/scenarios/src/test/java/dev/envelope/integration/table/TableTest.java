package dev.envelope.integration.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Processes that read a table and have no broker. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class TableTest {

    private static final int KILLS = Integer.getInteger("table.kills", 6);
    private static final int ROWS_A_KILL = 9_000;
    private static final int ROWS = 60_000;
    private static final int KEYS = 300;
    private static final int AT_ONCE = 100;

    private final LocalStack stack;
    private final List<RunningApp> apps = new ArrayList<>();

    TableTest(LocalStack stack) {
        this.stack = stack;
    }

    @AfterEach
    void end() {
        apps.forEach(app -> app.process().kill());
    }

    private Database database(String name) {
        Database database = stack.postgres().createDatabase(name);
        Applications.execute(
                database,
                "CREATE TABLE work (id bigint PRIMARY KEY, key text NOT NULL, amount int);"
                        + " CREATE INDEX ON work (key, id)");
        return database;
    }

    private RunningApp start(String name, Database database, String... more) {
        List<String> settings = settings(stack, name, database, more);
        settings.add("instance.name=" + name + "-" + apps.size());
        RunningApp app = RunningApp.start(stack.workspace(), name + "-" + apps.size(), settings);
        apps.add(app);
        return app;
    }

    /** An application that reads the table {@code work}, and has no broker. */
    static List<String> settings(LocalStack stack, String name, Database database, String... more) {
        List<String> settings = Applications.settings(stack.bootstrapServers(), name, database);
        settings.removeIf(it -> it.startsWith("bootstrap") || it.startsWith("topics"));
        settings.addAll(
                List.of(
                        "source=table",
                        "table.name=work",
                        "table.key=key",
                        "table.id=id",
                        "slots.timeout=2s"));
        settings.addAll(List.of(more));
        return settings;
    }

    /** Two transactions in turns: one is open while the other commits later rows. */
    private static void insert(Database database, int from, int to) {
        SplittableRandom random = new SplittableRandom(from);
        try (Connection one = database.connect();
                Connection other = database.connect()) {
            one.setAutoCommit(false);
            other.setAutoCommit(false);
            for (int at = from; at < to; at += AT_ONCE) {
                Connection by = random.nextBoolean() ? one : other;
                try (Statement statement = by.createStatement()) {
                    statement.execute(
                            "INSERT INTO work SELECT i, 'key-' || i * 7919::bigint %% %d, 1 FROM generate_series(%d, %d) i"
                                    .formatted(KEYS, at, at + AT_ONCE - 1));
                }
                if (random.nextInt(3) == 0) {
                    by.commit();
                }
            }
            one.commit();
            other.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitEmpty(Database database) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(90))
                .until(() -> Applications.number(database, "SELECT count(*) FROM work") == 0);
    }

    @Test
    void eachRowCountsOnceThroughKillsAndAFrozenProcess() {
        String name = "tabled";
        Database database = database(name);
        start(name, database, "slots=2", "slots.per.process=2").awaitReady();
        start(name, database, "slots=2", "slots.per.process=2").awaitReady();
        SplittableRandom random = new SplittableRandom();
        RunningApp frozen = apps.get(0);
        frozen.signal(Signal.STOP);
        for (int kill = 0; kill < KILLS; kill++) {
            RunningApp next = start(name, database, "slots=2", "slots.per.process=2");
            next.awaitReady();
            int from = kill * ROWS_A_KILL;
            CompletableFuture<Void> inserted =
                    CompletableFuture.runAsync(() -> insert(database, from, from + ROWS_A_KILL));
            Awaitility.await()
                    .pollDelay(Duration.ofMillis(random.nextInt(10, 700)))
                    .until(() -> true);
            apps.get(apps.size() - 2).signal(Signal.KILL);
            inserted.join();
            if (kill == KILLS / 2) {
                frozen.signal(Signal.CONT);
            }
        }
        awaitEmpty(database);

        assertThat(Applications.counted(database, name)).isEqualTo((long) KILLS * ROWS_A_KILL);
        assertThat(
                        Applications.number(
                                database,
                                "SELECT count(*) FROM tabled.state WHERE (state->>'n')::int <> %d"
                                        .formatted(KILLS * ROWS_A_KILL / KEYS)))
                .isZero();
        assertThat(Applications.number(database, "SELECT count(*) FROM tabled.parked")).isZero();
    }

    @Test
    void aProcessThatReadsATopicAndOneThatReadsATableShareTheirRows() {
        String name = "shared_rows";
        Database database = database(name);
        stack.topics().create(name, 2);
        RunningApp ofTopic =
                RunningApp.start(
                        stack.workspace(),
                        name + "-topic",
                        Applications.settings(stack.bootstrapServers(), name, database));
        apps.add(ofTopic);
        ofTopic.awaitReady();
        start(name, database, "slots=2", "slots.per.process=2").awaitReady();
        CompletableFuture<Void> inserted =
                CompletableFuture.runAsync(() -> insert(database, 0, ROWS));
        Applications.produce(stack, name, ROWS, KEYS, "{\"amount\":1}");
        inserted.join();
        awaitEmpty(database);

        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> Applications.counted(database, name) >= 2L * ROWS);
        assertThat(Applications.counted(database, name)).isEqualTo(2L * ROWS);
    }

    @Test
    void whatCantBeReadIsRefusedAtTheStart() {
        Database database = database("refused");
        Applications.execute(database, "ALTER TABLE work ALTER key DROP NOT NULL");

        RunningApp app = start("refused", database, "table.value=amonut");

        assertThat(app.awaitExit()).isEqualTo(78);
        assertThat(app.log()).contains("has no column amonut; it has amount, id, key");
    }
}
