package dev.envelope.integration.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.proxy.FaultProxy;
import dev.envelope.integration.stack.proxy.NetworkFault;
import dev.envelope.integration.stack.proxy.PostgresWire;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * How long a spare process needs to take over, seen from the database while records come all the
 * time: until the lock is free, until the spare has it, until its first row. It prints what it saw;
 * {@code -Dslots.rounds=10} for more of each.
 */
@Tag("cluster")
@ExtendWith(OneStack.class)
class TakeOverTest {

    private static final int ROUNDS = Integer.getInteger("slots.rounds", 2);

    private final LocalStack stack;
    private final List<Long> firstRows = new ArrayList<>();
    private SlotFleet fleet;

    TakeOverTest(LocalStack stack) {
        this.stack = stack;
        this.fleet = new SlotFleet(stack, "none", List.of());
    }

    @AfterEach
    void end() {
        fleet.kill();
        if (!firstRows.isEmpty()) {
            System.out.printf(
                    "slots: %d take-overs: first row after %d ms, median %d ms, at most %d ms%n",
                    firstRows.size(),
                    firstRows.stream().sorted().findFirst().orElseThrow(),
                    firstRows.stream().sorted().toList().get(firstRows.size() / 2),
                    firstRows.stream().max(Long::compare).orElseThrow());
        }
    }

    private SlotFleet fleet(String name, Database database) {
        List<String> settings = Applications.settings(stack.bootstrapServers(), name, database);
        settings.addAll(List.of("slots=1", "slots.timeout=2s"));
        fleet = new SlotFleet(stack, name, settings);
        return fleet;
    }

    /** Does it to the holder, and prints when the lock was free, taken, and a row was saved. */
    private void measure(String what, DatabaseView view, Runnable trouble) {
        Map<Integer, String> former = view.holders();
        assertThat(former).hasSize(1);
        long begun = System.nanoTime();
        trouble.run();
        long free = DatabaseView.millisUntil(() -> !view.holders().equals(former), begun);
        long freed = System.nanoTime();
        long taken = DatabaseView.millisUntil(() -> !view.holders().isEmpty(), freed);
        Map<String, Long> before = view.counts();
        long row = DatabaseView.millisUntil(() -> !view.counts().equals(before), freed);
        System.out.printf(
                "slots: %s: lock free after %d ms, taken %d ms later, first row %d ms after it was free%n",
                what, free, taken, row);
        firstRows.add(row);
    }

    /** The one that has the slot; it is no longer one of the others. */
    private RunningApp holder() {
        RunningApp holder =
                fleet.running().stream()
                        .filter(it -> it.get("/status").body().contains("\"ours\":true"))
                        .findFirst()
                        .orElseThrow();
        fleet.forget(holder);
        return holder;
    }

    private SteadyLoad load(String name, Database database) {
        SteadyLoad load = SteadyLoad.start(stack.bootstrapServers(), name);
        fleet.running().get(0).await(() -> Applications.counted(database, name) > 100);
        return load;
    }

    /** All that was produced has counted, once. */
    static void awaitAll(SteadyLoad load, RunningApp one, DatabaseView view) {
        load.close();
        Map<String, Long> all = load.produced();
        one.await(() -> view.counts().equals(all));
    }

    @Tag("long")
    @Test
    void aSpareProcessTakesOverFromWhoIsKilledOrFrozen() throws Exception {
        String name = "takeover";
        stack.topics().create(name, 4);
        Database database = stack.postgres().createDatabase(name);
        fleet(name, database).start().awaitReady();
        try (SteadyLoad load = load(name, database);
                DatabaseView view = new DatabaseView(database, name)) {
            for (int round = 0; round < ROUNDS; round++) {
                fleet.start().awaitReady();
                RunningApp killed = holder();
                measure("killed", view, () -> killed.signal(Signal.KILL));
            }
            for (int round = 0; round < Math.max(1, ROUNDS / 2); round++) {
                fleet.start().awaitReady();
                RunningApp frozen = holder();
                measure("frozen", view, () -> frozen.signal(Signal.STOP));
                frozen.process().kill();
            }
            awaitAll(load, fleet.running().get(0), view);
        }
    }

    @Tag("long")
    @Test
    void aSpareProcessTakesOverFromAHostThatIsGone() throws Exception {
        String name = "gone";
        stack.topics().create(name, 4);
        Database database = stack.postgres().createDatabase(name);
        fleet(name, database).start().awaitReady();
        try (SteadyLoad load = load(name, database);
                DatabaseView view = new DatabaseView(database, name)) {
            for (int round = 0; round < Math.max(1, ROUNDS / 2); round++) {
                try (FaultProxy host =
                        FaultProxy.start("host", stack.postgres().port(), new PostgresWire())) {
                    RunningApp gone = fleet.start("store.url=" + database.at(host.port()).url());
                    gone.awaitReady();
                    RunningApp former = holder();
                    former.signal(Signal.TERM);
                    former.awaitExit();
                    fleet.start().awaitReady();
                    assertThat(holder()).isSameAs(gone);
                    measure("host gone", view, () -> host.inject(new NetworkFault.BlackHole()));
                    gone.process().kill();
                }
            }
            awaitAll(load, fleet.running().get(0), view);
        }
    }
}
