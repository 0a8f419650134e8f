package dev.envelope.integration.simulation;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Which version of the handler processes are started with. In some seeds it changes under way: all
 * processes are replaced one after the other, or one is and then taken back.
 *
 * <p>Threads: one thread.
 */
final class Versions {

    private static final long MILLIS = 1_000_000;

    private final World world;
    private final RandomGenerator random;
    private final boolean isRolling;
    private HandlerVersion next;
    private boolean isForward; // for good

    Versions(World world) {
        this.world = world;
        this.random = world.random();
        this.isRolling = random.nextBoolean();
        this.next = random.nextBoolean() ? HandlerVersion.OLD : HandlerVersion.NEW;
    }

    void plan() {
        if (isRolling) {
            world.plan(1 + random.nextInt(3), this::roll);
        }
    }

    /** What whoever starts now has. */
    HandlerVersion next() {
        return next;
    }

    private void roll() {
        if (isForward) {
            return;
        }
        HandlerVersion before = next;
        next = before == HandlerVersion.OLD ? HandlerVersion.NEW : HandlerVersion.OLD;
        world.faults().landed(Fault.ROLLED);
        List<SimInstance> others = world.processes().alive();
        if (random.nextInt(3) == 0) {
            others.stream().limit(1).forEach(world.processes()::restart);
            later(() -> withdraw(before));
            return;
        }
        long after = 0;
        for (SimInstance process : others) {
            world.scheduler().after(after, () -> replace(process));
            after += random.nextInt(1_500) * MILLIS;
        }
    }

    private void replace(SimInstance process) {
        if (process.version() != next) {
            world.processes().restart(process);
        }
    }

    /** The one that was tried is taken back. */
    private void withdraw(HandlerVersion before) {
        if (!isForward) {
            next = before;
            world.processes().alive().forEach(this::replace);
        }
    }

    private void later(Runnable action) {
        world.scheduler().after((500 + random.nextInt(2_000)) * MILLIS, action);
    }

    /** From now on all have the new one, which can read whatever there is. */
    void forward() {
        isForward = true;
        next = HandlerVersion.NEW;
        world.processes().alive().forEach(this::replace);
    }
}
