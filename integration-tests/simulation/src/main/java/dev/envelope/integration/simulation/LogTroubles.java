package dev.envelope.integration.simulation;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.TopicAdmin.Commit;
import dev.envelope.core.position.StartFrom;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * What befalls topics, logs and the group's offsets at times that the seed has drawn.
 *
 * <p>Threads: one thread.
 */
final class LogTroubles {

    private static final long MILLIS = 1_000_000;
    private static final int MOST_BEFORE = 80;

    private final World world;
    private final RandomGenerator random;
    private final FaultPlan faults;
    private final SimLog log;
    private final Producers producers;

    LogTroubles(World world, Producers producers) {
        this.world = world;
        this.random = world.random();
        this.faults = world.faults();
        this.log = world.log();
        this.producers = producers;
    }

    /** What there was before the application: records, and commits of the consumer before it. */
    void past() {
        StartFrom from = world.settings().positions().startFrom();
        if (from instanceof StartFrom.Earliest) {
            return;
        }
        for (int i = random.nextInt(MOST_BEFORE); i > 0; i--) {
            producers.produce(0);
        }
        if (from instanceof StartFrom.Committed) {
            log.all().stream().filter(it -> random.nextInt(3) > 0).forEach(this::commitAsAnother);
        }
    }

    private void commitAsAnother(SimPartition partition) {
        long offset = between(0, partition.end().offset());
        NextOffset next = new NextOffset(offset, partition.epochOf(offset - 1));
        log.commit(partition.name(), new Commit(next, ""));
    }

    void plan() {
        world.plan(faults.occurrences(6, 1), this::spoil);
        world.plan(faults.occurrences(5, 2), this::expire);
        if (!world.timers().isOn()) { // its firings have the keys of messages
            world.plan(faults.occurrences(5, 2), this::compact);
        }
        world.plan(faults.occurrences(4, 1), this::grow);
        world.plan(faults.occurrences(6, 2), this::jumpClock);
        world.plan(faults.occurrences(12, 1), this::truncate);
        if (faults.occurrences(12, 1) > 0) {
            world.plan(1, this::recreate);
        }
        int oneIn = world.purging().isOn() ? 3 : 5; // so that purged keys' messages come again
        if (faults.occurrences(oneIn, 1) > 0) {
            world.plan(1, () -> whileAllAreStopped(this::moveOffsets));
        }
    }

    private SimPartition some() {
        List<SimPartition> all = log.all();
        return all.get(random.nextInt(all.size()));
    }

    private long committed(SimPartition partition) {
        return log.commit(partition.name()).map(it -> it.next().offset()).orElse(0L);
    }

    private long between(long low, long high) {
        return low + random.nextInt((int) (Math.max(0, high - low) + 1));
    }

    /** A batch near the end can't be read, until its disk is mended; sometimes by itself. */
    private void spoil() {
        if (log.all().isEmpty()) {
            return;
        }
        SimPartition partition = some();
        partition.spoil(between(committed(partition), partition.end().offset() + 5));
        if (random.nextBoolean()) {
            world.scheduler().after((100 + random.nextInt(4_000)) * MILLIS, partition::mend);
        }
    }

    private void expire() {
        if (log.all().isEmpty()) {
            return;
        }
        SimPartition partition = some();
        long end = partition.stableEnd();
        boolean isAheadOfUs = random.nextBoolean();
        long low = isAheadOfUs ? Math.min(committed(partition), end) : partition.start();
        long to = between(low, end);
        if (to > partition.start()) {
            faults.landed(Fault.RETENTION);
            world.losses().expired(partition.deleteBelow(to));
        }
    }

    private void compact() {
        for (SimPartition partition : log.all()) {
            List<SimRecord> gone = partition.compactBelow(partition.end().offset() - 5);
            if (!gone.isEmpty()) {
                faults.landed(Fault.COMPACTED);
                world.losses().compacted(gone);
            }
        }
    }

    /** The group learns of it soon; the producers sooner or later than that. */
    private void grow() {
        String topic = someTopic();
        if (log.has(topic)) {
            faults.landed(Fault.GROWN);
            log.grow(topic, 1 + random.nextInt(3));
            long known = random.nextInt(800) * MILLIS;
            world.scheduler().after(known, world::tellGroup);
            world.scheduler().after(random.nextInt(2_000) * MILLIS, () -> producers.learn(topic));
        }
    }

    private String someTopic() {
        List<String> all = List.copyOf(world.topics());
        return all.get(random.nextInt(all.size()));
    }

    private void jumpClock() {
        faults.landed(Fault.CLOCK_JUMPED);
        producers.jumpClock();
    }

    private void truncate() {
        if (log.all().isEmpty()) {
            return;
        }
        SimPartition partition = some();
        long end = partition.end().offset();
        if (end > 0) {
            faults.landed(Fault.TRUNCATED);
            partition.truncate(between(Math.max(partition.start(), end - 20), end - 1));
            world.checks().progress().lookAgain();
        }
    }

    private void recreate() {
        String topic = someTopic();
        if (!log.has(topic)) {
            return;
        }
        faults.landed(Fault.RECREATED);
        int partitions = log.of(topic).size();
        log.delete(topic);
        world.outputs().kafka().delete(topic);
        world.tellGroup();
        world.scheduler()
                .after(
                        (500 + random.nextInt(2_000)) * MILLIS,
                        () -> {
                            log.create(topic, partitions);
                            world.outputs().kafka().create(topic);
                            world.doubts().recreated(topic);
                            world.checks().reads().recreated(topic);
                            producers.learn(topic);
                            world.tellGroup();
                        });
    }

    /** Kafka's tools refuse to move the offsets of a group that has members. */
    private void whileAllAreStopped(Runnable action) {
        world.processes().hold();
        waitForAllToStop(action, 80);
    }

    private void waitForAllToStop(Runnable action, int times) {
        if (world.processes().alive().isEmpty()) {
            action.run();
            world.processes().release();
        } else if (times == 0) {
            world.processes().release();
        } else {
            world.scheduler().after(100 * MILLIS, () -> waitForAllToStop(action, times - 1));
        }
    }

    private void moveOffsets() {
        if (!world.isEveryTopicKnown()) {
            return;
        }
        switch (random.nextInt(5)) {
            case 0, 1, 2 -> move(Fault.MOVED_BACK, this::moveBack);
            case 3 ->
                    move(
                            Fault.MOVED_AHEAD,
                            it -> moveTo(it, between(committed(it), it.end().offset())));
            default -> move(Fault.OFFSETS_DELETED, it -> log.forgetCommit(it.name()));
        }
    }

    private void move(Fault fault, Consumer<SimPartition> how) {
        faults.landed(fault);
        boolean isAll = random.nextBoolean();
        for (SimPartition partition : log.all()) {
            if (isAll || random.nextInt(3) == 0) {
                how.accept(partition);
            }
        }
    }

    /** Where reading began in the middle, often to below that. */
    private void moveBack(SimPartition partition) {
        long start = world.checks().progress().start(partition);
        boolean isBelow = start > 0 && random.nextBoolean();
        long to = between(0, isBelow ? start - 1 : committed(partition));
        if (partition.records().stream().anyMatch(it -> it.offset() >= to && it.offset() < start)) {
            faults.landed(Fault.MOVED_BELOW_START);
        }
        moveTo(partition, to);
    }

    /**
     * Kafka's tools write no leader epoch, and nothing beside the offset. Whoever follows to there
     * asks for nothing below it any more, be it gone; also where the group was moved back, and the
     * database goes back further than that.
     */
    private void moveTo(SimPartition partition, long offset) {
        NextOffset next = new NextOffset(offset, NextOffset.NO_EPOCH);
        world.losses().jumped(partition.label(), offset);
        log.commit(partition.name(), new Commit(next, ""));
    }
}
