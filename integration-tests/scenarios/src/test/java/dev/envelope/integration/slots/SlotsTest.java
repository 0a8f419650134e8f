package dev.envelope.integration.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Processes that take slots in the database, and others that wait for them. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class SlotsTest {

    private static final int RECORDS = 3_000;
    private static final int KEYS = 100;
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final LocalStack stack;
    private final List<RunningApp> apps = new ArrayList<>();
    private int produced;

    SlotsTest(LocalStack stack) {
        this.stack = stack;
    }

    @AfterEach
    void end() {
        apps.forEach(app -> app.process().kill());
    }

    private RunningApp start(String name, Database database, int slots) {
        List<String> settings = Applications.settings(stack.bootstrapServers(), name, database);
        settings.add("instance.name=" + name + "-" + apps.size());
        settings.add("assignment=slots");
        settings.add("slots=" + slots);
        settings.add("slots.timeout=" + TIMEOUT.toSeconds() + "s");
        RunningApp app = RunningApp.start(stack.workspace(), name + "-" + apps.size(), settings);
        apps.add(app);
        return app;
    }

    /** Which slot each of these holds, as they say. */
    private Map<Integer, RunningApp> holders(List<RunningApp> asked) {
        Map<Integer, RunningApp> holders = new TreeMap<>();
        for (RunningApp app : asked) {
            JsonNode status = JsonMapper.builder().build().readTree(app.get("/status").body());
            for (JsonNode holder : status.get("slots").get("holders")) {
                if (holder.get("ours").asBoolean()) {
                    assertThat(holders.put(holder.get("slot").asInt(), app)).isNull();
                }
            }
        }
        return holders;
    }

    private void awaitAllHeld(List<RunningApp> by, int slots) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .ignoreException(UncheckedIOException.class)
                .until(() -> holders(by).size() == slots);
    }

    private void produceAndAwait(String name, Database database) {
        Applications.produce(stack, name, RECORDS, KEYS, "{\"amount\":1}");
        produced += RECORDS;
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> Applications.counted(database, name) >= produced);
        assertThat(Applications.counted(database, name)).isEqualTo(produced);
    }

    @Tag("long")
    @Test
    void aStartWithSlotsWaitsUntilTheGroupHasNoMembers() {
        String name = "formergroup";
        stack.topics().create(name, 2);
        Database database = stack.postgres().createDatabase(name);
        List<String> settings = Applications.settings(stack.bootstrapServers(), name, database);
        settings.add("instance.name=member");
        RunningApp member = RunningApp.start(stack.workspace(), name + "-member", settings);
        apps.add(member);
        member.awaitReady();
        produceAndAwait(name, database);

        RunningApp slots = start(name, database, 2);
        slots.awaitLine("still has members, which read what slots divide: end envelope-member on ");
        assertThat(member.process().isAlive()).isTrue();
        member.signal(Signal.TERM);
        slots.awaitReady();
        start(name, database, 2).awaitReady();
        produceAndAwait(name, database);

        RunningApp again = RunningApp.start(stack.workspace(), name + "-again", settings);
        apps.add(again);
        assertThat(again.awaitExit()).isEqualTo(78);
        assertThat(again.log()).contains("slots is not set, but the");
    }

    @Tag("long")
    @Test
    void halfOfTheProcessesMayDieOrFreezeAndAllIsReadOnce() {
        String name = "slots";
        stack.topics().create(name, 4);
        Database database = stack.postgres().createDatabase(name);
        for (int i = 0; i < 4; i++) {
            start(name, database, 2).awaitReady();
        }
        awaitAllHeld(apps, 2);
        produceAndAwait(name, database);

        List<RunningApp> spares = new ArrayList<>(apps);
        List<RunningApp> killed = List.copyOf(holders(apps).values());
        spares.removeAll(killed);
        long begun = System.nanoTime();
        killed.forEach(it -> it.signal(Signal.KILL));
        awaitAllHeld(spares, 2);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        System.out.println("slots: both holders killed, all held again after " + millis + " ms");
        produceAndAwait(name, database);

        RunningApp spare = start(name, database, 2);
        spare.awaitReady();
        RunningApp frozen = Objects.requireNonNull(holders(spares).get(0));
        frozen.signal(Signal.STOP);
        begun = System.nanoTime();
        List<RunningApp> alive = new ArrayList<>(spares);
        alive.remove(frozen);
        alive.add(spare);
        awaitAllHeld(alive, 2);
        millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        System.out.println("slots: a holder frozen, its slot held again after " + millis + " ms");
        produceAndAwait(name, database);

        frozen.signal(Signal.CONT);
        frozen.awaitLine("has lost slots [0]");
        awaitAllHeld(alive, 2);
        produceAndAwait(name, database);

        RunningApp other = start(name, database, 3);
        assertThat(other.awaitExit()).isNotZero();
        assertThat(other.log()).contains("slots is 3").contains("would both do it");
    }
}
