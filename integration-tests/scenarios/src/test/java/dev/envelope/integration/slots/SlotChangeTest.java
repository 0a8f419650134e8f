package dev.envelope.integration.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The number of slots is changed while processes run, and there is work. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class SlotChangeTest {

    private static final int KEYS = 60;

    private final LocalStack stack;
    private final List<RunningApp> apps = new ArrayList<>();
    private final AtomicBoolean isEnough = new AtomicBoolean();
    private final AtomicInteger produced = new AtomicInteger();
    private int started;

    SlotChangeTest(LocalStack stack) {
        this.stack = stack;
    }

    @AfterEach
    void end() {
        isEnough.set(true);
        apps.forEach(app -> app.process().kill());
    }

    private RunningApp start(Database database, String... slots) {
        String name = "change";
        List<String> settings = Applications.settings(stack.bootstrapServers(), name, database);
        settings.add("instance.name=" + name + "-" + ++started);
        settings.add("assignment=slots");
        settings.add("slots.timeout=3s");
        settings.addAll(List.of(slots));
        RunningApp app = RunningApp.start(stack.workspace(), name + "-" + started, settings);
        apps.add(app);
        return app;
    }

    private Thread load() {
        Thread load =
                new Thread(
                        () -> {
                            while (!isEnough.get()) {
                                Applications.produce(stack, "change", KEYS, KEYS, "{\"amount\":1}");
                                produced.addAndGet(KEYS);
                            }
                        });
        load.start();
        return load;
    }

    private static JsonNode slots(RunningApp app) {
        return JsonMapper.builder().build().readTree(app.get("/status").body()).get("slots");
    }

    private static boolean areHeld(RunningApp app, int count) {
        JsonNode slots = slots(app);
        return slots.get("count").asInt() == count
                && slots.get("holders").size() == count
                && slots.get("free").isEmpty();
    }

    /** Each of them is replaced, the second without notice. */
    private void roll(Database database, String... slots) {
        List<RunningApp> former = List.copyOf(apps);
        for (int i = 0; i < former.size(); i++) {
            former.get(i).signal(i == 1 ? Signal.KILL : Signal.TERM);
            former.get(i).awaitExit();
            apps.remove(former.get(i));
            start(database, slots).awaitReady();
        }
    }

    @Test
    void aFleetGrowsAndShrinksUnderLoadAndEachRowIsExact() throws Exception {
        stack.topics().create("change", 6);
        Database database = stack.postgres().createDatabase("change");
        for (int i = 0; i < 3; i++) {
            start(database, "slots=2").awaitReady();
        }
        apps.get(0).await(() -> areHeld(apps.get(0), 2));
        Thread load = load();

        RunningApp refused = start(database, "slots=3");
        assertThat(refused.awaitExit()).isEqualTo(78);
        assertThat(refused.log()).contains("while processes run, add slots.from=2");
        apps.remove(refused);

        roll(database, "slots=3", "slots.from=2");
        RunningApp one = apps.get(0);
        one.await(() -> areHeld(one, 3));
        one.await(() -> slots(one).get("change").asString().endsWith("slots.from=2 can go"));
        assertThat(one.log()).contains("from 2 to 3 slots when these know it: change-");
        one.awaitLine("3 slots since ");
        RunningApp late = start(database, "slots=2");
        assertThat(late.awaitExit()).isEqualTo(78);
        apps.remove(late);

        roll(database, "slots=2", "slots.from=3");
        RunningApp again = apps.get(0);
        again.await(() -> areHeld(again, 2));

        isEnough.set(true);
        load.join();
        again.await(() -> Applications.counted(database, "change") >= produced.get());
        String exact = "SELECT count(*) FROM change.state WHERE (state->>'n')::int = ";
        assertThat(Applications.first(database, exact + produced.get() / KEYS))
                .isEqualTo(Integer.toString(KEYS));
        assertThat(produced.get()).isGreaterThan(KEYS);
    }
}
