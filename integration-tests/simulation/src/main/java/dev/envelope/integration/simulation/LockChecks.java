package dev.envelope.integration.simulation;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * What must hold while sessions outside hold rows, in seeds in which nothing else is wrong: what a
 * process has fetched of other keys is saved within a second, however many are held, but while
 * partitions move. And where none is held, none is waited for.
 *
 * <p>Threads: one thread.
 */
final class LockChecks {

    private static final long MILLIS = 1_000_000;
    private static final long BEGIN = 2_500 * MILLIS;
    private static final long LONGEST_PAUSE = 1_000 * MILLIS;

    /** How far a process had fetched a partition. */
    private record Fetched(SimInstance process, TopicPartition partition, long epoch, long below) {}

    private final World world;
    private final List<Fetched> fetched = new ArrayList<>();
    private boolean isNoneHeld;
    private int changes; // of the group

    LockChecks(World world) {
        this.world = world;
    }

    /** Looks every second, as long as rows are held. */
    void begin() {
        world.scheduler().after(BEGIN, () -> world.every(LONGEST_PAUSE, this::look));
    }

    /** In this seed: the database is slow at times, and that is nobody's lock. */
    void noneIsHeld() {
        isNoneHeld = true;
    }

    /** A save has come to the database. */
    void saving(SimInstance process, Patience patience) {
        if (isNoneHeld && patience == Patience.ALONE) {
            world.checks().fail("alone", process.name() + " waits for a row that nobody holds");
        }
    }

    private void look() {
        boolean isSettled = world.group().isSettled();
        boolean isAsBefore = isSettled && world.group().changes() == changes;
        for (Fetched earlier : isAsBefore ? fetched : List.<Fetched>of()) {
            boolean isSame =
                    earlier.process().partitions().stream()
                            .anyMatch(
                                    it ->
                                            it.partition().equals(earlier.partition())
                                                    && it.epoch() == earlier.epoch());
            if (isSame) {
                check(earlier);
            }
        }
        fetched.clear();
        changes = world.group().changes();
        if (!isSettled) {
            return;
        }
        for (SimInstance process : world.processes().alive()) {
            for (PartitionStatus status : process.partitions()) {
                if (status.epoch() > 0 && !status.stopped()) {
                    fetched.add(
                            new Fetched(
                                    process,
                                    status.partition(),
                                    status.epoch(),
                                    status.position()));
                }
            }
        }
    }

    private void check(Fetched earlier) {
        SimPartition log = world.log().find(earlier.partition());
        if (log == null) {
            return;
        }
        for (Source source : world.database().sources()) {
            if (source.partition().equals(earlier.partition())) {
                log.records().stream()
                        .filter(it -> it.offset() >= source.start().offset())
                        .filter(it -> it.offset() < earlier.below())
                        .forEach(it -> check(it, source, earlier.process()));
            }
        }
    }

    private void check(SimRecord record, Source source, SimInstance process) {
        String ofRecord = record.key();
        if (ofRecord == null) {
            return;
        }
        String key = world.settings().rowKey(source.partition().topic(), ofRecord);
        if (world.locks().wasHeld(key)) {
            return;
        }
        Map<Integer, NextOffset> marks = RowChecks.marks(world.database().row(key));
        NextOffset mark = world.checks().purges().wider(key, marks).get(source.number());
        if (mark == null || mark.offset() <= record.offset()) {
            world.checks()
                    .fail(
                            "held-up",
                            process.name() + " has not saved " + record + " in a second's time");
        }
    }
}
