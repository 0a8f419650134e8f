package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.fetch.AssignedPartition.Stopped;
import dev.envelope.core.offset.PositionFinder;
import java.time.Duration;
import java.util.concurrent.Executor;
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

    private final Assignment assignment;
    private final PositionFinder finder;
    private final Environment environment;
    private final Executor errands;
    private final Consumer<AssignedPartition> resume;

    HeldPartitions(
            Assignment assignment,
            PositionFinder finder,
            Environment environment,
            Executor errands,
            Consumer<AssignedPartition> resume) {
        this.assignment = assignment;
        this.finder = finder;
        this.environment = environment;
        this.errands = errands;
        this.resume = resume;
    }

    /** Resumes the partition when its source is no longer recorded as stopped. */
    void await(AssignedPartition partition, int source) {
        environment
                .timers()
                .after(LOOK_EVERY, () -> errands.execute(() -> look(partition, source)));
    }

    private void look(AssignedPartition partition, int source) {
        if (isHeld(partition)) {
            environment.background().execute(() -> ask(partition, source));
        }
    }

    /** Background. */
    private void ask(AssignedPartition partition, int source) {
        boolean isStopped;
        try {
            isStopped = finder.stopped().containsKey(source);
        } catch (UnavailableException e) {
            isStopped = true; // as far as anybody knows
        } catch (RuntimeException | Error e) {
            errands.execute(
                    () -> {
                        throw new InvariantViolation("looking for what is resumed broke off", e);
                    });
            return;
        }
        boolean isResumed = !isStopped;
        errands.execute(() -> answered(partition, source, isResumed));
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
