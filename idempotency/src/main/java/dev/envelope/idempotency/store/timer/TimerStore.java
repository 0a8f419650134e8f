package dev.envelope.idempotency.store.timer;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The timers of keys. They are set and ended by saves of their rows ({@link Timer}); here they
 * fire.
 *
 * <p>A firing is an output to the topic of the message that has set the timer. The timer stays
 * until that output comes back as a message and is applied. So whether a firing still counts is
 * decided by the timer's row: it must have fired, and be of the same generation.
 *
 * <p>Threads: may block, within its own timeouts. Both methods throw {@link UnavailableException}
 * when the outcome is unknown, and {@link OtherIncarnationException} when the database is in
 * another incarnation than the given one.
 */
public interface TimerStore {

    /**
     * What a look has found.
     *
     * @param fired how many timers it has fired
     * @param next how long until the next timer is due, by the database's clock; negative if there
     *     are overdue ones that were left for the next look, null if no timer is pending
     */
    record Look(int fired, long bytes, @Nullable Duration next) {}

    /**
     * Fires timers that are due, the oldest first: marks them and puts their firings out, in one
     * transaction. Never early by the database's clock.
     *
     * @param sources whose messages have set them: those that this process owns
     */
    Look fire(Collection<Integer> sources, int most, Incarnation incarnation);

    /** The generations of the timers of these keys that have fired, by key and name. */
    Map<String, Map<String, String>> fired(Collection<String> keys, Incarnation incarnation);
}
