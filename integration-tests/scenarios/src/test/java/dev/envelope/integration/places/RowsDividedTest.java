package dev.envelope.integration.places;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.Main;
import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.LocalPostgres;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An application whose rows are not divided gets four slots in two databases. */
@Tag("cluster")
@Tag("long")
@ExtendWith(OneStack.class)
class RowsDividedTest {

    private static final String NAME = "divided";
    private static final int SLOTS = 4;
    private static final int KEYS = 500;
    private static final int FILLERS = 200_000; // so that a copy can be killed
    private static final Duration SOON = Duration.ofSeconds(60);

    private final LocalStack stack;
    private final Workspace workspace = Workspace.open();
    private final List<RunningApp> apps = new ArrayList<>();
    private final Workspace other = Workspace.open();
    private final List<Database> databases = new ArrayList<>(); // main, b
    private final List<String> undivided = new ArrayList<>();
    private final List<String> divided = new ArrayList<>();
    private int produced; // of each key
    private int started;

    RowsDividedTest(LocalStack stack) {
        this.stack = stack;
    }

    @AfterEach
    void end() {
        apps.forEach(app -> app.process().kill());
        other.close();
        workspace.close();
    }

    private void application() {
        for (Workspace each : List.of(workspace, other)) {
            LocalPostgres server = new LocalPostgres(each, Map.of());
            server.start();
            databases.add(server.createDatabase("divided"));
        }
        stack.topics().create(NAME, SLOTS);
        undivided.addAll(Applications.settings(stack.bootstrapServers(), NAME, databases.get(0)));
        divided.addAll(undivided);
        divided.addAll(
                List.of(
                        "store.slots=" + SLOTS,
                        "store.place.b=" + databases.get(1).url(),
                        "store.slots.b=1,3"));
    }

    private RunningApp start(List<String> settings) {
        List<String> its = new ArrayList<>(settings);
        its.add("instance.name=" + NAME + "-" + started);
        return RunningApp.start(stack.workspace(), NAME + "-" + started++, its);
    }

    private void startTwo(List<String> settings) {
        apps.add(start(settings));
        apps.add(start(settings));
        apps.forEach(RunningApp::awaitReady);
    }

    private void refused(List<String> settings, String why) {
        RunningApp app = start(settings);
        assertThat(app.awaitExit()).isEqualTo(78);
        assertThat(app.log()).contains(why);
    }

    private void produce() {
        Applications.produce(stack, NAME, KEYS, KEYS, "{\"amount\":1}");
        produced++;
    }

    private ChildProcess divide(String... how) {
        try {
            Path file = workspace.folder().resolve("divided.properties");
            Files.write(file, divided);
            return workspace.start(
                    NAME + "-command-" + started++,
                    JavaCommand.of(Main.class)
                            .heap("128m")
                            .with("logback.configurationFile", "logback.xml")
                            .arguments(
                                    Stream.concat(
                                                    Stream.of("slots", "divide"),
                                                    Stream.concat(
                                                            Stream.of(how),
                                                            Stream.of("-c", file.toString())))
                                            .toArray(String[]::new)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String divided(String... how) {
        ChildProcess command = divide(how);
        assertThat(command.awaitExit(SOON)).as(command.logTail(30)).isZero();
        return command.logTail(30);
    }

    private Database at(int slot) {
        return databases.get(slot % 2);
    }

    private String wrong(int slots) {
        long rows = 0;
        long wrong = 0;
        for (int slot = 0; slot < slots; slot++) {
            String[] its =
                    Applications.first(
                                    at(slot),
                                    "SELECT count(*) || ' ' || count(*) FILTER (WHERE (state->>'n')::int <> CASE WHEN key LIKE 'key-%%' THEN %d ELSE 7 END) FROM %s.state"
                                            .formatted(
                                                    produced,
                                                    slots == 1 ? NAME : NAME + "_0" + slot))
                            .split(" ", -1);
            rows += Long.parseLong(its[0]);
            wrong += Long.parseLong(its[1]);
        }
        return rows + " rows, wrong: " + wrong;
    }

    private void awaitAll(int slots) {
        Awaitility.await()
                .atMost(SOON)
                .failFast(
                        "a process has ended",
                        () ->
                                apps.forEach(
                                        it ->
                                                assertThat(it.process().isAlive())
                                                        .as(it.log())
                                                        .isTrue()))
                .untilAsserted(
                        () ->
                                assertThat(wrong(slots))
                                        .isEqualTo(KEYS + FILLERS + " rows, wrong: 0"));
    }

    @Test
    void everyRowIsExactThoughTheCopyWasKilledAndTheApplicationRanBesideIt() throws Exception {
        application();
        startTwo(undivided);
        produce();
        Applications.execute(
                databases.get(0),
                "INSERT INTO %s.state (key, state, version, marks) SELECT 'filler-' || i, '{\"n\":7}', 1, '' FROM generate_series(1, %d) AS i"
                        .formatted(NAME, FILLERS));
        refused(divided, "divide them with envelope slots divide");
        assertThat(divided("--dry-run"))
                .as(apps.get(0).log())
                .contains("the rows would be copied", "slot 1: b divided_01", "processes that run");

        AtomicBoolean stops = new AtomicBoolean();
        var load =
                CompletableFuture.runAsync(
                        () -> {
                            while (!stops.get()) {
                                produce();
                            }
                        });
        ChildProcess killed = divide();
        Awaitility.await()
                .atMost(SOON)
                .pollInterval(Duration.ofMillis(20))
                .ignoreExceptions()
                .until(
                        () ->
                                Applications.number(
                                                databases.get(1),
                                                "SELECT count(*) FROM divided_01_dividing.state")
                                        > 0);
        killed.signal(Signal.KILL);
        killed.awaitExit(SOON);
        assertThat(divided()).contains("rows copied of").doesNotContain(FILLERS + " rows copied");
        stops.set(true);
        load.get();
        awaitAll(1);
        produce(); // some of it is read by processes that are about to end, some is not
        ChildProcess early = divide("--finish");
        assertThat(early.awaitExit(SOON)).isEqualTo(78);
        assertThat(early.logTail(9)).contains("processes run: end them");
        apps.forEach(app -> app.process().signal(Signal.TERM));
        apps.forEach(app -> assertThat(app.awaitExit()).isZero());
        apps.clear();

        assertThat(divided("--finish")).contains("the rows are in 4 slots");
        refused(undivided, "were divided into slots");
        startTwo(divided);
        produce();
        awaitAll(SLOTS);
        assertThat(
                        Applications.number(
                                databases.get(0),
                                "SELECT max(version) FROM divided_00.state WHERE key LIKE 'key-%'"))
                .as("no message is saved twice")
                .isLessThanOrEqualTo(produced);
    }
}
