package dev.envelope.idempotency.store.timer;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.output.Output;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The timers of keys. They are set and ended by saves of their rows ({@link Timer}); here they
 * fire.
 *
 * <p>A firing is an output to the topic of the message that has set the timer. The timer stays
 * until that output comes back as a message and is applied. So whether a firing still counts is
 * decided by the timer's row: it must have fired or be due, and be of the same generation.
 *
 * <p>Threads: may block, within its own timeouts; throws {@link UnavailableException} when the
 * outcome is unknown.
 */
public interface TimerStore {

    /** How many bytes of payloads fire at once; one timer always does. */
    long BYTES_AT_ONCE = 4L << 20;

    /**
     * What a look has found.
     *
     * @param firings what was put out
     * @param next how long until the next timer is due, by the database's clock; zero or less if
     *     timers are overdue that were left for the next look, null if none is pending
     */
    record Look(List<Output> firings, @Nullable Duration next) {}

    /**
     * Fires timers that are due, the oldest first: marks them and puts their firings out, in one
     * transaction. Never early by the database's clock.
     *
     * @param owned the partitions of this process: those fire that were set by their messages
     */
    Look fire(Collection<TopicPartition> owned, int most);
}
