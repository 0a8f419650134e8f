package dev.envelope.idempotency.command;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * When commands were given to the producer that the brokers have not answered yet, by partition.
 * Answers of a partition come in order, or nearly so.
 *
 * <p>Threads: one thread, that of {@link CommandDesk}.
 */
final class Unacked {

    private final Map<Integer, ArrayDeque<Long>> since = new HashMap<>();

    void put(int partition, long now) {
        since.computeIfAbsent(partition, it -> new ArrayDeque<>()).add(now);
    }

    void answered(int partition) {
        since.computeIfPresent(
                partition,
                (it, times) -> {
                    times.poll();
                    return times.isEmpty() ? null : times;
                });
    }

    /** How long the first of a partition has had no answer. */
    long nanos(int partition, long now) {
        ArrayDeque<Long> times = since.get(partition);
        return times == null ? 0 : now - times.element();
    }
}
