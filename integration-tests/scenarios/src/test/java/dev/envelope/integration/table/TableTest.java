package dev.envelope.integration.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Processes that read a table and have no broker. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class TableTest {

    private static final int KILLS = Integer.getInteger("table.kills", 3);
    private static final int ROWS_A_KILL = 9_000;
    private static final int ROWS = 60_000;

    private final LocalStack stack;
    private final List<RunningApp> apps = new ArrayList<>();

    TableTest(LocalStack stack) {
        this.stack = stack;
    }

    @AfterEach
    void end() {
        apps.forEach(app -> app.process().kill());
    }

    private RunningApp start(String name, Database database, String... more) {
        List<String> settings = WorkTable.settings(stack, name, database, more);
        settings.add("instance.name=" + name + "-" + apps.size());
        RunningApp app = RunningApp.start(stack.workspace(), name + "-" + apps.size(), settings);
        apps.add(app);
        return app;
    }

    @Test
    void eachRowCountsOnceThroughKillsAndAFrozenProcess() {
        Database database = killed("tabled");

        counted(database, "tabled.state", "tabled.parked");
    }

    /** In one database; a turn saves in several slots, and has rows of the table done for each. */
    @Tag("long")
    @Test
    void eachRowCountsOnceInSeveralSlotsThroughKillsAndAFrozenProcess() {
        Database database = killed("slotted", "store.slots=4");

        Applications.execute(
                database,
                IntStream.range(0, 4)
                        .mapToObj("SELECT * FROM slotted_0%d.state"::formatted)
                        .collect(Collectors.joining(" UNION ALL ", "CREATE VIEW rows AS ", "")));
        Applications.execute(
                database,
                IntStream.range(0, 4)
                        .mapToObj("SELECT * FROM slotted_0%d.parked"::formatted)
                        .collect(Collectors.joining(" UNION ALL ", "CREATE VIEW held AS ", "")));
        counted(database, "rows", "held");
        for (int slot = 0; slot < 4; slot++) {
            String some = "SELECT count(*) FROM slotted_0" + slot + ".state";
            assertThat(Applications.number(database, some)).isPositive();
        }
    }

    private static void counted(Database database, String rows, String parked) {
        assertThat(
                        Applications.number(
                                database, "SELECT sum((state->>'n')::bigint)::bigint FROM " + rows))
                .isEqualTo((long) KILLS * ROWS_A_KILL);
        assertThat(
                        Applications.number(
                                database,
                                "SELECT count(*) FROM %s WHERE (state->>'n')::int <> %d"
                                        .formatted(rows, KILLS * ROWS_A_KILL / WorkTable.KEYS)))
                .isZero();
        assertThat(Applications.number(database, "SELECT count(*) FROM " + parked)).isZero();
    }

    /** Processes that are killed while rows come, until all rows are done. */
    private Database killed(String name, String... more) {
        Database database = WorkTable.create(stack, name);
        List<String> all = new ArrayList<>(List.of("slots=2", "slots.per.process=2"));
        all.addAll(List.of(more));
        String[] slots = all.toArray(String[]::new);
        start(name, database, slots).awaitReady();
        start(name, database, slots).awaitReady();
        SplittableRandom random = new SplittableRandom();
        RunningApp frozen = apps.get(0);
        frozen.signal(Signal.STOP);
        for (int kill = 0; kill < KILLS; kill++) {
            RunningApp next = start(name, database, slots);
            next.awaitReady();
            int from = kill * ROWS_A_KILL;
            CompletableFuture<Void> inserted =
                    CompletableFuture.runAsync(
                            () -> WorkTable.insert(database, from, from + ROWS_A_KILL));
            Awaitility.await()
                    .pollDelay(Duration.ofMillis(random.nextInt(10, 700)))
                    .until(() -> true);
            apps.get(apps.size() - 2).signal(Signal.KILL);
            inserted.join();
            if (kill == KILLS / 2) {
                frozen.signal(Signal.CONT);
            }
        }
        WorkTable.awaitEmpty(database);
        return database;
    }

    @Tag("long")
    @Test
    void aProcessThatReadsATopicAndOneThatReadsATableShareTheirRows() {
        String name = "shared_rows";
        Database database = WorkTable.create(stack, name);
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
                CompletableFuture.runAsync(() -> WorkTable.insert(database, 0, ROWS));
        Applications.produce(stack, name, ROWS, WorkTable.KEYS, "{\"amount\":1}");
        inserted.join();
        WorkTable.awaitEmpty(database);

        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> Applications.counted(database, name) >= 2L * ROWS);
        assertThat(Applications.counted(database, name)).isEqualTo(2L * ROWS);
    }

    @Test
    void whatCantBeReadIsRefusedAtTheStart() {
        Database database = WorkTable.create(stack, "refused");
        Applications.execute(database, "ALTER TABLE work ALTER key DROP NOT NULL");

        RunningApp app = start("refused", database, "table.value=amonut");

        assertThat(app.awaitExit()).isEqualTo(78);
        assertThat(app.log()).contains("has no column amonut; it has amount, id, key");
    }
}
