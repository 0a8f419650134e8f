package dev.envelope.idempotency.store.operator;

import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Pauses.Kind;
import java.time.Duration;
import java.util.Optional;

/**
 * Where an operator holds keys and partitions back, and sees which are. A process that reads them
 * knows it within a second; one that is given them, before it begins.
 *
 * <p>Threads: one thread.
 */
public interface PauseCatalog extends Catalog {

    /** So many may be held back: every process reads them every second. */
    int MOST = 10_000;

    /** What became of a request to hold something back. */
    enum Answer {
        PAUSED,
        /** The application reads no partition of that name. */
        NO_SUCH_PARTITION,
        /** {@link #MOST} others are held back. */
        TOO_MANY
    }

    /**
     * Holds something back. What is held back already is from now on held back for that time.
     *
     * @param time after which it ends by itself; without one, when somebody resumes it
     */
    Answer pause(Kind kind, String name, Optional<Duration> time, String by);

    /**
     * Lets it go on.
     *
     * @return false if it was not held back
     */
    boolean resume(Kind kind, String name, String by);

    /** Whether it is held back now. */
    boolean isPaused(Kind kind, String name);

    /** What is held back, for longest first. */
    Pauses all();
}
