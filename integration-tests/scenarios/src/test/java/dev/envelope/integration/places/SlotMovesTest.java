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
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Slots that are moved between two database servers while processes consume. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class SlotMovesTest {

    private static final int MOVES = Integer.getInteger("moves", 2);
    private static final int SLOTS = 4;
    private static final int KEYS = 1_000;
    private static final Duration SOON = Duration.ofSeconds(90);

    private final LocalStack stack;
    private final SplittableRandom random = new SplittableRandom(MOVES);
    private final Workspace workspace = Workspace.open();
    private final List<RunningApp> apps = new ArrayList<>();
    private final List<Database> databases = new ArrayList<>(); // main, b
    private final List<String> settings = new ArrayList<>();
    private final int[] at = {0, 0, 1, 1}; // by slot
    private int produced; // of each key
    private int started;
    private int commands;
    private int kills;
    private int taken;

    SlotMovesTest(LocalStack stack) {
        this.stack = stack;
    }

    @BeforeEach
    void servers() {
        for (int i = 0; i < 2; i++) {
            Workspace own = i == 0 ? workspace : others();
            LocalPostgres server = new LocalPostgres(own, Map.of());
            server.start();
            databases.add(server.createDatabase("moves"));
        }
    }

    private final List<Workspace> more = new ArrayList<>();

    private Workspace others() {
        Workspace other = Workspace.open();
        more.add(other);
        return other;
    }

    @AfterEach
    void end() {
        apps.forEach(app -> app.process().kill());
        more.forEach(Workspace::close);
        workspace.close();
    }

    private void application(String name) {
        stack.topics().create(name, SLOTS);
        settings.addAll(Applications.settings(stack.bootstrapServers(), name, databases.get(0)));
        settings.addAll(
                List.of(
                        "store.slots=" + SLOTS,
                        "store.place.b=" + databases.get(1).url(),
                        "store.slots.b=2-3",
                        "store.statement.timeout=2s",
                        "store.socket.timeout=3s"));
    }

    private RunningApp start(String name) {
        List<String> its = new ArrayList<>(settings);
        its.add("instance.name=" + name + "-" + started);
        RunningApp app = RunningApp.start(stack.workspace(), name + "-" + started++, its);
        apps.add(app);
        return app;
    }

    private void produce(String topic) {
        Applications.produce(stack, topic, KEYS, KEYS, "{\"amount\":1}");
        produced++;
    }

    private ChildProcess command(String name, String... words) {
        try {
            Path file = workspace.folder().resolve("moves.properties");
            Files.write(file, settings);
            return workspace.start(
                    name + "-command-" + commands++,
                    JavaCommand.of(Main.class)
                            .heap("128m")
                            .with("logback.configurationFile", "logback.xml")
                            .arguments(
                                    Stream.concat(
                                                    Stream.of(words),
                                                    Stream.of("-c", file.toString()))
                                            .toArray(String[]::new)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void move(String name, int slot, String... way) {
        List<String> words = new ArrayList<>(List.of("slots", "move", "" + slot));
        words.addAll(List.of(way));
        ChildProcess mover = command(name, words.toArray(String[]::new));
        assertThat(mover.awaitExit(SOON)).as(mover.logTail(30)).isZero();
    }

    private static String nameOf(int place) {
        return place == 0 ? "main" : "b";
    }

    private String schema(String name, int slot) {
        return "%s_%02d".formatted(name, slot);
    }

    /** How many keys have another number than what was produced of each. */
    private String wrong(String name) {
        long rows = 0;
        long wrong = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            String[] its =
                    Applications.first(
                                    databases.get(at[slot]),
                                    "SELECT count(*) || ' ' || count(*) FILTER (WHERE (state->>'n')::int <> "
                                            + produced
                                            + ") FROM "
                                            + schema(name, slot)
                                            + ".state")
                            .split(" ", -1);
            rows += Long.parseLong(its[0]);
            wrong += Long.parseLong(its[1]);
        }
        return rows + " rows, wrong: " + wrong;
    }

    private void awaitAll(String name) {
        Awaitility.await()
                .atMost(SOON)
                .failFast(
                        () ->
                                apps.forEach(
                                        it ->
                                                assertThat(it.process().isAlive())
                                                        .as(it.log())
                                                        .isTrue()))
                .untilAsserted(() -> assertThat(wrong(name)).isEqualTo(KEYS + " rows, wrong: 0"));
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis); // how long is what makes the difference
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Tag("long")
    @Test
    void everyKeyIsExactAfterMovesThereAndBackWithKillsInBetween() {
        String name = "moves";
        application(name);
        start(name).awaitReady();
        start(name).awaitReady();
        produce(name);
        awaitAll(name);
        for (int i = 0; i < MOVES; i++) {
            int slot = i % SLOTS;
            int target = 1 - at[slot];
            produce(name);
            switch (random.nextInt(4)) {
                case 0 -> killTheMover(name, slot, target);
                case 1 -> killAProcess(name, slot, target);
                case 2 -> freezeAProcess(name, slot, target);
                default -> move(name, slot, "--to", nameOf(target));
            }
            at[slot] = target;
            produce(name);
            if (i % 5 == 0) {
                awaitAll(name);
            }
            dropWhatWasLeft(name);
        }
        awaitAll(name);
        System.out.printf(
                "moves: %d moves of %d slots, %d kills of movers and processes, %d taken back, %d records exact%n",
                MOVES, SLOTS, kills, taken, (long) produced * KEYS);
    }

    private void killTheMover(String name, int slot, int target) {
        ChildProcess mover = command(name, "slots", "move", "" + slot, "--to", nameOf(target));
        pause(400 + random.nextInt(2_000));
        mover.signal(Signal.KILL);
        mover.awaitExit(SOON);
        kills++;
        produce(name);
        boolean isUnderWay =
                Applications.first(
                                databases.get(1 - target),
                                "SELECT count(*) FROM pg_namespace WHERE nspname = '%s_moving'"
                                        .formatted(schema(name, slot)))
                        .equals("1");
        boolean isThere = hasSlot(name, slot, target);
        if (isUnderWay && !isThere && random.nextBoolean()) {
            taken++;
            move(name, slot, "--abandon");
        }
        move(name, slot, "--to", nameOf(target));
    }

    private boolean hasSlot(String name, int slot, int place) {
        return Applications.first(
                        databases.get(place),
                        "SELECT to_regclass('%s.state') IS NOT NULL".formatted(schema(name, slot)))
                .equals("t");
    }

    private void killAProcess(String name, int slot, int target) {
        ChildProcess mover = command(name, "slots", "move", "" + slot, "--to", nameOf(target));
        pause(random.nextInt(2_000));
        RunningApp victim = apps.remove(0);
        victim.process().kill();
        kills++;
        start(name);
        assertThat(mover.awaitExit(SOON)).as(mover.logTail(30)).isZero();
    }

    /** It is in the middle of something, and goes on with that when all is elsewhere. */
    private void freezeAProcess(String name, int slot, int target) {
        RunningApp frozen = apps.get(0);
        frozen.process().pause();
        try {
            move(name, slot, "--to", nameOf(target));
            produce(name);
        } finally {
            frozen.process().resume();
        }
    }

    /** An operator drops what he does not need any more. */
    private void dropWhatWasLeft(String name) {
        for (Database database : databases) {
            String left =
                    Applications.first(
                            database,
                            "SELECT string_agg('DROP SCHEMA ' || nspname || ' CASCADE', '; ')"
                                    + " FROM pg_namespace WHERE nspname LIKE '"
                                    + name
                                    + "\\_%\\_moved\\_%'");
            if (!left.equals("null")) {
                Applications.execute(database, left);
            }
        }
    }

    @Tag("long")
    @Test
    void theCommandsSayWhatIsAndWhatWouldBe() {
        String name = "said";
        application(name);
        RunningApp app = start(name);
        app.awaitReady();
        produce(name);
        awaitAll(name);
        ChildProcess plan = command(name, "slots", "move", "1", "--to", "b", "--dry-run");
        assertThat(plan.awaitExit(SOON)).isZero();
        assertThat(plan.logTail(9))
                .contains("slot 1 would move from main to b", "servers: Postgres");
        assertThat(hasSlot(name, 1, 0)).isTrue();
        move(name, 1, "--to", "b");
        at[1] = 1;
        app.awaitLine("slots are elsewhere than the settings say");
        assertThat(app.log()).contains("set store.slots.b=1-3");
        produce(name);
        awaitAll(name);
        ChildProcess list = command(name, "slots", "list");
        assertThat(list.awaitExit(SOON)).isZero();
        assertThat(list.logTail(9)).contains("0  main", "1  b", "2  b", "3  b");

        Applications.execute(databases.get(0), "CREATE SCHEMA said_03");
        Applications.execute(databases.get(0), "CREATE TABLE said_03.application (x int)");
        RunningApp refused = start(name);
        assertThat(refused.awaitExit()).as(refused.log()).isEqualTo(78);
        assertThat(refused.log()).contains("slot 3 is at main and at b");
        Applications.execute(databases.get(0), "DROP SCHEMA said_03 CASCADE");
        Applications.execute(databases.get(1), "ALTER SCHEMA said_03 RENAME TO lost_03");
        RunningApp missing = start(name);
        assertThat(missing.awaitExit()).as(missing.log()).isEqualTo(78);
        assertThat(missing.log()).contains("slot 3 is at no place");
        apps.removeAll(List.of(refused, missing));
        assertThat(IntStream.range(0, SLOTS).filter(it -> at[it] == 1).count()).isEqualTo(3);
    }

    @Tag("long")
    @Test
    void aProcessThatDoesNotKnowThePlaceEndsAndSaysWhichLineIsMissing() {
        String name = "unknown";
        application(name);
        settings.removeIf(it -> it.startsWith("store.slots.b"));
        RunningApp knows = start(name);
        knows.awaitReady();
        settings.removeIf(it -> it.startsWith("store.place.b"));
        RunningApp doesNot = start(name);
        doesNot.awaitReady();
        settings.add("store.place.b=" + databases.get(1).url());
        for (int slot = 0; slot < SLOTS; slot++) {
            at[slot] = 0;
        }
        produce(name);
        awaitAll(name);
        move(name, 1, "--to", "b");
        at[1] = 1;
        assertThat(doesNot.awaitExit()).as(doesNot.log()).isEqualTo(78);
        assertThat(doesNot.log()).contains("add store.place.b=jdbc:");
        apps.remove(doesNot);
        produce(name);
        awaitAll(name);
    }
}
