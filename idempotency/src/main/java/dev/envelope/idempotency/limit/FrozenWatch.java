package dev.envelope.idempotency.limit;

import dev.envelope.core.Recurring;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.parked.FrozenKeys;
import dev.envelope.idempotency.store.parked.FrozenStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads periodically how much is parked of this process's partitions. Each process reports only its
 * own partitions, so nothing is counted twice.
 *
 * <p>Threads: {@link #turn} by one thread at a time; {@link #seen} from any.
 */
public final class FrozenWatch implements Recurring.Work {

    private static final Logger log = LoggerFactory.getLogger(FrozenWatch.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(15);

    /** A partition is counted when it is taken over, and then at this interval. */
    private static final Duration COUNT_EVERY = Duration.ofHours(6);

    private static final Duration COUNT_AGAIN = Duration.ofMinutes(10);

    private final FrozenStore store;
    private final Supplier<Set<TopicPartition>> owned;
    private final LongSupplier nanoTime;
    private final Map<TopicPartition, Long> countAt = new HashMap<>(); // only in turn()
    private Set<TopicPartition> lookedAt = Set.of(); // only in turn(), like the next
    private long lookedWhen;
    private volatile List<FrozenKeys> seen = List.of();

    /**
     * @param owned the partitions of this process
     */
    public FrozenWatch(
            FrozenStore store, Supplier<Set<TopicPartition>> owned, LongSupplier nanoTime) {
        this.store = store;
        this.owned = owned;
        this.nanoTime = nanoTime;
    }

    /** Reads the figures if the interval is over or the partitions have changed. */
    @Override
    public boolean turn() {
        Set<TopicPartition> its = owned.get();
        long now = nanoTime.getAsLong();
        if (its.equals(lookedAt) && now - lookedWhen < LOOK_EVERY.toNanos()) {
            return false;
        }
        look(its);
        if (countAnew(its, now)) {
            look(its);
        }
        lookedAt = its;
        lookedWhen = now;
        return false;
    }

    private void look(Set<TopicPartition> its) {
        try {
            seen = its.isEmpty() ? List.of() : store.of(its);
        } catch (UnavailableException e) {
            log.debug("how much stands parked is not known: {}", e.getMessage());
        }
    }

    /**
     * Counts partitions that are due, one by one since each may take time; returns whether any was
     * counted.
     */
    private boolean countAnew(Set<TopicPartition> its, long now) {
        countAt.keySet().retainAll(its);
        boolean isCounted = false;
        for (TopicPartition partition : its) {
            if (now - countAt.getOrDefault(partition, now) >= 0) {
                boolean isDone = isCounted(partition);
                isCounted |= isDone;
                countAt.put(partition, now + (isDone ? COUNT_EVERY : COUNT_AGAIN).toNanos());
            }
        }
        return isCounted;
    }

    private boolean isCounted(TopicPartition partition) {
        try {
            store.countAnew(List.of(partition));
            return true;
        } catch (UnavailableException e) {
            log.debug("what is parked of {} was not counted: {}", partition, e.getMessage());
            return false;
        }
    }

    /** The last figures, longest parked first. */
    public List<FrozenKeys> seen() {
        return seen;
    }
}
