package dev.envelope.integration.simulation;

import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.store.InMemoryOutboxStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * The topic that dead letters go to, what befalls it, and how many may wait for it.
 *
 * <p>Threads: one thread.
 */
final class LetterTopic {

    private static final long MILLIS = 1_000_000;

    private final World world;
    private final OutboxRoom.Limits limits;
    private final InMemoryOutboxStore.Lease lease = new InMemoryOutboxStore.Lease();
    private final Map<String, Long> tooLargeUntil = new HashMap<>(); // by place
    private long refusesUntil;

    /** In one seed of two a few that wait are enough to fill the outbox. */
    LetterTopic(World world) {
        this.world = world;
        RandomGenerator random = world.random();
        limits =
                random.nextBoolean()
                        ? new OutboxRoom.Limits(
                                Math.max(2, 1 + random.nextInt(6)), // who asks for one only looks
                                Duration.ofMillis(300 + random.nextInt(4_000)))
                        : new OutboxRoom.Limits(1_000, Duration.ofHours(1));
    }

    void plan() {
        world.plan(world.faults().occurrences(2, 2), this::refuseForAWhile);
    }

    private void refuseForAWhile() {
        refusesUntil = world.scheduler().now() + (50 + world.random().nextInt(4_000)) * MILLIS;
    }

    /** Whether it takes nothing now. */
    boolean refuses() {
        if (world.faults().areOver() || world.scheduler().now() >= refusesUntil) {
            return world.faults().happens(Fault.LETTERS_REFUSED);
        }
        world.faults().landed(Fault.LETTERS_REFUSED);
        return true;
    }

    /** Whether it does not take this one, until somebody raises what it takes. */
    boolean isTooLarge(String place) {
        if (world.faults().areOver()) {
            return false;
        }
        long now = world.scheduler().now();
        Long until = tooLargeUntil.get(place);
        if (until == null) {
            boolean isLarge = world.faults().happens(Fault.LETTER_TOO_LARGE);
            until = isLarge ? now + (500 + world.random().nextInt(6_000)) * MILLIS : now;
            tooLargeUntil.put(place, until);
        }
        return now < until;
    }

    /** How many may wait, and how long. */
    OutboxRoom.Limits limits() {
        return limits;
    }

    /** Who delivers at the moment. */
    InMemoryOutboxStore.Lease lease() {
        return lease;
    }
}
