package dev.envelope.integration.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.table.WorkTable;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The number of slots is changed while processes run, and there is work. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class SlotChangeTest {

    private static final int KEYS = 60;

    private final LocalStack stack;
    private final AtomicBoolean isEnough = new AtomicBoolean();
    private final AtomicInteger loads = new AtomicInteger();
    private SlotFleet fleet;

    SlotChangeTest(LocalStack stack) {
        this.stack = stack;
        this.fleet = new SlotFleet(stack, "none", List.of());
    }

    @AfterEach
    void end() {
        isEnough.set(true);
        fleet.kill();
    }

    private void begin(String name, List<String> settings) {
        fleet = new SlotFleet(stack, name, settings);
        for (int i = 0; i < 3; i++) {
            fleet.start("slots=2").awaitReady();
        }
        awaitHeld(2);
    }

    private RunningApp awaitHeld(int count) {
        RunningApp one = fleet.running().get(0);
        one.await(() -> SlotFleet.areHeld(one, count));
        return one;
    }

    /** Load after load, each with its number, until it is enough. */
    private Thread load(IntConsumer one) {
        Thread load =
                new Thread(
                        () -> {
                            while (!isEnough.get()) {
                                one.accept(loads.getAndIncrement());
                            }
                        });
        load.start();
        return load;
    }

    private void end(Thread load) throws InterruptedException {
        isEnough.set(true);
        load.join();
        assertThat(loads.get()).isGreaterThan(1);
    }

    private static void assertEachHas(int times, int keys, Database database, String name) {
        String exact =
                "SELECT count(*) FROM %s.state WHERE (state->>'n')::int = %d"
                        .formatted(name, times);
        assertThat(Applications.number(database, exact)).isEqualTo(keys);
    }

    @Tag("long")
    @Test
    void aFleetGrowsAndShrinksUnderLoadAndEachRowIsExact() throws Exception {
        String name = "change";
        stack.topics().create(name, 6);
        Database database = stack.postgres().createDatabase(name);
        List<String> settings = Applications.settings(stack.bootstrapServers(), name, database);
        settings.add("slots.timeout=3s");
        begin(name, settings);
        Thread load = load(it -> Applications.produce(stack, name, KEYS, KEYS, "{\"amount\":1}"));

        RunningApp refused = fleet.start("slots=3");
        assertThat(refused.awaitExit()).isEqualTo(78);
        assertThat(refused.log()).contains("while processes run, add slots.from=2");
        fleet.forget(refused);

        fleet.roll("slots=3", "slots.from=2");
        RunningApp one = awaitHeld(3);
        one.await(
                () ->
                        SlotFleet.slots(one)
                                .get("change")
                                .asString()
                                .endsWith("slots.from=2 can go"));
        assertThat(one.log()).contains("from 2 to 3 slots when these know it: change-");
        one.awaitLine("3 slots since ");
        RunningApp late = fleet.start("slots=2");
        assertThat(late.awaitExit()).isEqualTo(78);
        fleet.forget(late);

        fleet.roll("slots=2", "slots.from=3");
        RunningApp again = awaitHeld(2);

        end(load);
        again.await(() -> Applications.counted(database, name) >= (long) loads.get() * KEYS);
        assertEachHas(loads.get(), KEYS, database, name);
    }

    @Tag("long")
    @Test
    void theSlotsOfATableGrowAndShrinkUnderLoadAndEachRowIsDoneOnce() throws Exception {
        String name = "tablechange";
        Database database = WorkTable.create(stack, name);
        begin(name, WorkTable.settings(stack, name, database));
        int rows = WorkTable.KEYS;
        Thread load = load(it -> WorkTable.insert(database, it * rows, (it + 1) * rows));

        fleet.roll("slots=5", "slots.from=2", "slots.per.process=2");
        awaitHeld(5);
        fleet.roll("slots=2", "slots.from=5");
        awaitHeld(2);

        end(load);
        WorkTable.awaitEmpty(database);
        assertEachHas(loads.get(), rows, database, name);
    }
}
