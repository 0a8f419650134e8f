package dev.envelope.integration.soak;

import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.cluster.ConsumerGroup;
import dev.envelope.integration.cluster.ConsumerProcess;
import dev.envelope.integration.cluster.Mutant;
import dev.envelope.integration.oracle.Schema;
import dev.envelope.integration.stack.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The processes that run. The first one is spared what would end it: it lives from the beginning to
 * the end, so that what it holds can be compared.
 *
 * <p>Threads: the conductor's only.
 */
final class Fleet {

    private static final Duration READY_WITHIN = Duration.ofSeconds(20);

    private static final Duration WARM_WITHIN = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final ConsumerGroup group;
    private final int size;
    private final Mutant mutant;
    private final List<ConsumerProcess> running = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();

    Fleet(ConsumerGroup group, int size, Mutant mutant) {
        this.group = group;
        this.size = size;
        this.mutant = mutant;
    }

    /** Where the rows are. */
    List<Schema> schemas() {
        return group.schemas();
    }

    /** Starts what is missing; one that has ended by itself is remembered. */
    void refill() {
        running.removeIf(
                process -> {
                    if (process.hasFailed()) {
                        ended.add(process.failure("has ended by itself"));
                    }
                    return !process.isAlive();
                });
        while (running.size() < size) {
            running.add(start());
        }
    }

    /** Waits until so many of them have saved so many rows. */
    void awaitSaved(int rows, int processes) {
        Waiting.until(
                WARM_WITHIN,
                PAUSE,
                () ->
                        running.stream()
                                        .filter(it -> it.beat().get(Count.SAVED_ROWS) >= rows)
                                        .count()
                                >= processes,
                () -> "not saved " + rows + " rows: " + running.get(0).failure("is there"));
    }

    /** One more than there ought to be, for a while. */
    ConsumerProcess start() {
        return group.start(mutant);
    }

    /** The one that lives from the beginning to the end, unless it ended by itself. */
    ConsumerProcess veteran() {
        return running.get(0);
    }

    List<ConsumerProcess> running() {
        return List.copyOf(running);
    }

    /** One that may be ended: it has begun to work, if there is such a one. */
    ConsumerProcess victim(Random random) {
        Scene.awaits(READY_WITHIN, () -> mortals().stream().anyMatch(Fleet::isReady));
        List<ConsumerProcess> ready = mortals().stream().filter(Fleet::isReady).toList();
        return pick(ready.isEmpty() ? mortals() : ready, random);
    }

    /** One that will live on. */
    ConsumerProcess any(Random random) {
        List<ConsumerProcess> ready = running.stream().filter(Fleet::isReady).toList();
        return pick(ready.isEmpty() ? running : ready, random);
    }

    private List<ConsumerProcess> mortals() {
        return running.size() > 1 ? running.subList(1, running.size()) : running;
    }

    private static ConsumerProcess pick(List<ConsumerProcess> some, Random random) {
        return some.get(random.nextInt(some.size()));
    }

    private static boolean isReady(ConsumerProcess process) {
        return process.isAlive()
                && process.beat().get(Count.SAVED_ROWS) > 0
                && process.beat().get(Count.PARTITIONS) > 0;
    }

    /** Whether some process is inside a turn. */
    boolean isAtWork() {
        return running.stream().anyMatch(it -> it.isAlive() && it.beat().get(Count.IN_TURN) > 0);
    }

    /** Over all processes that there ever were. */
    long total(Count count) {
        return group.total(count);
    }

    /** What those say that ended by themselves. */
    List<String> ended() {
        return List.copyOf(ended);
    }
}
