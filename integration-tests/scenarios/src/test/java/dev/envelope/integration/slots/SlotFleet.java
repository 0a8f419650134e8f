package dev.envelope.integration.slots;

import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.Signal;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Processes of one application whose work slots divide, each with a name of its own.
 *
 * <p>Threads: one thread.
 */
final class SlotFleet {

    private final LocalStack stack;
    private final String name;
    private final List<String> settings;
    private final List<RunningApp> running = new ArrayList<>();
    private final List<RunningApp> started = new ArrayList<>();

    /**
     * @param settings that all have
     */
    SlotFleet(LocalStack stack, String name, List<String> settings) {
        this.stack = stack;
        this.name = name;
        this.settings = List.copyOf(settings);
    }

    /** Starts one more; with further settings, or other values. */
    RunningApp start(String... more) {
        List<String> all = new ArrayList<>(settings);
        for (String other : more) {
            all.removeIf(it -> it.startsWith(other.substring(0, other.indexOf('=') + 1)));
        }
        String instance = name + "-" + (started.size() + 1);
        all.add("instance.name=" + instance);
        all.add("assignment=slots");
        all.addAll(List.of(more));
        RunningApp app = RunningApp.start(stack.workspace(), instance, all);
        started.add(app);
        running.add(app);
        return app;
    }

    /** Those that were started and not forgotten. */
    List<RunningApp> running() {
        return List.copyOf(running);
    }

    void forget(RunningApp app) {
        running.remove(app);
    }

    /** Each of them is replaced, the second without notice. */
    void roll(String... more) {
        List<RunningApp> former = running();
        for (int i = 0; i < former.size(); i++) {
            former.get(i).signal(i == 1 ? Signal.KILL : Signal.TERM);
            former.get(i).awaitExit();
            forget(former.get(i));
            start(more).awaitReady();
        }
    }

    /** What one of them says of slots. */
    static JsonNode slots(RunningApp app) {
        return JsonMapper.builder().build().readTree(app.get("/status").body()).get("slots");
    }

    /** Whether there are so many, as one of them says, and each is held. */
    static boolean areHeld(RunningApp app, int count) {
        JsonNode slots = slots(app);
        return slots.get("count").asInt() == count
                && slots.get("holders").size() == count
                && slots.get("free").isEmpty();
    }

    /** Kills what still runs, be it forgotten. */
    void kill() {
        started.forEach(app -> app.process().kill());
    }
}
