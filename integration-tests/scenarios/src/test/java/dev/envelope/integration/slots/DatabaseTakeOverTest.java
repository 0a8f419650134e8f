package dev.envelope.integration.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.outage.OneProxiedStack;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalPostgres;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The database of a fleet is restarted, killed, and replaced by a replica that lacks what came
 * last: all locks are gone with it, and all slots are held again. It prints how long that took.
 */
@Tag("cluster")
@Tag("long")
@ExtendWith(OneProxiedStack.class)
class DatabaseTakeOverTest {

    private static final String NAME = "dbtakeover";
    private static final int SLOTS = 2;

    private final ProxiedStack stack;
    private final Database database;
    private final SlotFleet fleet;

    DatabaseTakeOverTest(ProxiedStack stack) {
        this.stack = stack;
        stack.topics().create(NAME, 4);
        this.database = stack.postgres().createDatabase(NAME);
        List<String> settings =
                Applications.settings(stack.bootstrapServers(), NAME, stack.throughProxy(database));
        settings.addAll(List.of("slots=" + SLOTS, "slots.timeout=2s"));
        this.fleet = new SlotFleet(stack.direct(), NAME, settings);
    }

    @AfterEach
    void end() {
        fleet.kill();
    }

    /** Waits until all slots are held and each key has a new row. */
    private void measure(String what, Database now) throws Exception {
        long begun = System.nanoTime();
        try (DatabaseView view = new DatabaseView(now, NAME)) {
            Map<String, Long> before = view.counts();
            long held = DatabaseView.millisUntil(() -> view.holders().size() == SLOTS, begun);
            long rows =
                    DatabaseView.millisUntil(
                            () -> {
                                Map<String, Long> counts = view.counts();
                                return before.entrySet().stream()
                                        .noneMatch(
                                                it ->
                                                        it.getValue()
                                                                .equals(counts.get(it.getKey())));
                            },
                            begun);
            System.out.printf(
                    "slots: database %s: all held %d ms after it answers, rows of all keys after %d ms%n",
                    what, held, rows);
        }
    }

    @Test
    void allSlotsAreHeldAgainAndEachRowIsExactThoughTheDatabaseIsRestartedOrReplaced()
            throws Exception {
        for (int i = 0; i < 2 * SLOTS; i++) {
            fleet.start().awaitReady();
        }
        RunningApp one = fleet.running().get(0);
        one.await(() -> SlotFleet.areHeld(one, SLOTS));
        LocalPostgres standby = null;
        try (SteadyLoad load = SteadyLoad.start(stack.direct().bootstrapServers(), NAME)) {
            one.await(() -> Applications.counted(database, NAME) > 200);

            stack.postgres().stop();
            stack.postgres().start();
            measure("restarted", database);

            stack.postgres().kill();
            stack.postgres().start();
            measure("killed", database);

            standby = stack.postgres().standby("standby-slots");
            long copied = Applications.counted(database, NAME);
            one.await(() -> Applications.counted(database, NAME) > copied + 500);
            stack.postgres().kill();
            standby.start();
            stack.toPostgres().retarget(standby.port());
            stack.toPostgres().cut();
            standby.promote();
            Database now = database.at(standby.port());
            measure("replaced", now);

            try (DatabaseView view = new DatabaseView(now, NAME)) {
                TakeOverTest.awaitAll(load, one, view);
                assertThat(view.holders()).hasSize(SLOTS);
            }
        } finally {
            if (!stack.postgres().process().isAlive()) {
                stack.postgres().start();
            }
            stack.toPostgres().retarget(stack.postgres().port());
            stack.toPostgres().cut();
            if (standby != null) {
                standby.kill();
            }
        }
    }
}
