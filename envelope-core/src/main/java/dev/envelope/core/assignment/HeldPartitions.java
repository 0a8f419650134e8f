package dev.envelope.core.assignment;

import dev.envelope.core.assignment.AssignedPartition.Stopped;
import dev.envelope.core.background.Background;
import dev.envelope.core.position.PositionFinder;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Partitions that the database has recorded as stopped: looks now and then whether an operator has
 * resumed them.
 *
 * <p>Threads: poll thread only; the database is asked in the background, which answers by an
 * errand.
 */
final class HeldPartitions {

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private final Assigned assignment;
    private final PositionFinder finder;
    private final Background background;
    private final Consumer<AssignedPartition> resume;

    HeldPartitions(
            Assigned assignment,
            PositionFinder finder,
            Background background,
            Consumer<AssignedPartition> resume) {
        this.assignment = assignment;
        this.finder = finder;
        this.background = background;
        this.resume = resume;
    }

    /** Resumes the partition when its source is no longer recorded as stopped. */
    void await(AssignedPartition partition, int source) {
        background.later(LOOK_EVERY, () -> look(partition, source));
    }

    private void look(AssignedPartition partition, int source) {
        if (isHeld(partition)) {
            background.ask(
                    "looking for what is resumed",
                    () -> !finder.stopped().containsKey(source),
                    isResumed -> answered(partition, source, isResumed),
                    unavailable -> answered(partition, source, false)); // as far as anybody knows
        }
    }

    private void answered(AssignedPartition partition, int source, boolean isResumed) {
        if (!isHeld(partition)) {
            return;
        }
        if (isResumed) {
            resume.accept(partition);
        } else {
            await(partition, source);
        }
    }

    private boolean isHeld(AssignedPartition partition) {
        return assignment.has(partition) && partition.phase() instanceof Stopped;
    }
}
