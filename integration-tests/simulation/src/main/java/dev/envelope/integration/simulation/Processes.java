package dev.envelope.integration.simulation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The processes of the application, and whoever starts them again: a cluster's supervisor, and an
 * operator who has all of them stopped for a while.
 *
 * <p>Threads: one thread.
 */
final class Processes {

    private static final long MILLIS = 1_000_000;
    private static final int LONGEST_START_MILLIS = 3_000;

    /** How long it takes until whoever has ended is started again. */
    static final long LONGEST_START_NANOS = LONGEST_START_MILLIS * MILLIS;

    private final World world;
    private final Wiring wiring;
    private final List<SimInstance> processes = new ArrayList<>();
    private int started;
    private int due; // as soon as they may be started
    private boolean isHeld;

    Processes(World world, Wiring wiring) {
        this.world = world;
        this.wiring = wiring;
    }

    void startWithin(int millis) {
        world.scheduler().after(world.random().nextInt(millis) * MILLIS, this::start);
    }

    private void start() {
        if (isHeld) {
            due++;
            return;
        }
        processes.removeIf(SimInstance::isDead);
        processes.add(new SimInstance("process-" + ++started, world, wiring));
    }

    List<SimInstance> alive() {
        return processes.stream().filter(it -> !it.isDead()).toList();
    }

    /** Any one that lives. */
    @Nullable SimInstance one() {
        List<SimInstance> alive = alive();
        return alive.isEmpty() ? null : alive.get(world.random().nextInt(alive.size()));
    }

    /** It dies, and is started again. */
    void kill(SimInstance victim) {
        victim.kill();
        startWithin(LONGEST_START_MILLIS);
    }

    /** It ends in good order, and is started again. */
    void restart(SimInstance process) {
        if (process.close()) {
            startWithin(LONGEST_START_MILLIS);
        }
    }

    void restartAll() {
        alive().forEach(this::restart);
    }

    /** Stops all; nobody is started before {@link #release}. */
    void hold() {
        isHeld = true;
        restartAll();
    }

    void release() {
        isHeld = false;
        for (; due > 0; due--) {
            startWithin(LONGEST_START_MILLIS);
        }
    }

    @Override
    public String toString() {
        return processes.toString();
    }
}
