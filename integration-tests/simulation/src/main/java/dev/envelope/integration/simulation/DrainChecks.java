package dev.envelope.integration.simulation;

import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * What must hold of a partition that was given up in good time: what was under way of it was waited
 * for, so nothing of it is saved any more, and what others read again is bounded.
 *
 * <p>Threads: one thread.
 */
final class DrainChecks {

    /** The engine keeps a third of its deadline for the commit: who took less did not run out. */
    private static final long IN_GOOD_TIME_NANOS = 1_600_000_000;

    private record Of(String process, TopicPartition partition) {}

    private final World world;
    private final Set<Of> givenUp = new HashSet<>();
    private boolean isAlone;

    DrainChecks(World world) {
        this.world = world;
    }

    void gaveUp(SimInstance process, Collection<TopicPartition> partitions, long nanos) {
        if (nanos < IN_GOOD_TIME_NANOS) {
            partitions.forEach(it -> givenUp.add(new Of(process.name(), it)));
        }
    }

    void took(SimInstance process, Collection<TopicPartition> partitions) {
        partitions.forEach(it -> givenUp.remove(new Of(process.name(), it)));
    }

    /** A save has come to the database. Those that travel alone are not waited for. */
    void saving(Patience patience) {
        isAlone = patience == Patience.ALONE;
    }

    /** It has saved messages of this partition. */
    void saved(SimInstance process, TopicPartition partition) {
        if (!process.owns(partition)) {
            world.faults().landed(Fault.ZOMBIE_SAVE);
        }
        if (!isAlone && givenUp.contains(new Of(process.name(), partition))) {
            world.checks()
                    .fail("late-save", process.name() + " saves what it gave up: " + partition);
        }
    }
}
