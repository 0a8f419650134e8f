package dev.envelope.idempotency.store.operator;

import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Pauses.Kind;
import java.time.Duration;
import java.util.Optional;

/**
 * Where an operator pauses and resumes keys and partitions, and sees which are paused. A running
 * process sees a change within a second; a process that gets a partition reads the pauses first.
 *
 * <p>Threads: one thread.
 */
public interface PauseCatalog extends Catalog {

    /** The most pauses at a time, since every process reads them every second. */
    int MOST = 10_000;

    /** The answer to a request to pause. */
    enum Answer {
        PAUSED,
        /** The application reads no partition of that name. */
        NO_SUCH_PARTITION,
        /** {@link #MOST} others are paused. */
        TOO_MANY
    }

    /**
     * Pauses a key or partition. If it is paused already, the new time replaces the former.
     *
     * @param time after which the pause ends; if empty, it lasts until somebody resumes it
     */
    Answer pause(Kind kind, String name, Optional<Duration> time, String by);

    /**
     * Resumes a key or partition.
     *
     * @return false if it was not paused
     */
    boolean resume(Kind kind, String name, String by);

    /** Whether it is paused now. */
    boolean isPaused(Kind kind, String name);

    /** All pauses, longest first. */
    Pauses all();
}
