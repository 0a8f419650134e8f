package dev.envelope.idempotency.command;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** Threads and a clock, driven by hand. */
final class Hands {

    private long nanos = 1_000_000;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final ArrayDeque<Runnable> looks = new ArrayDeque<>();

    /** The thread of a desk. */
    Executor own() {
        return tasks::add;
    }

    /** Where looks run. */
    Executor looker() {
        return looks::add;
    }

    long nanos() {
        return nanos;
    }

    void pass(Duration time) {
        nanos += time.toNanos();
    }

    boolean hasLooks() {
        return !looks.isEmpty();
    }

    /** Runs what the desk has been given. */
    void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    /** Runs one look, and what the desk makes of it; whatever it throws stays in it. */
    void runLook() {
        looks.remove().run();
        runTasks();
    }
}
