package dev.envelope.core.membership;

import java.util.Map;

/**
 * The slots that a process holds: numbers from 0, each held by one process at a time as far as
 * anybody can tell. A process that is frozen may hold one that another has taken over: what it
 * saves then is refused by the rows' versions.
 *
 * <p>Threads: thread-safe; no method blocks.
 */
public interface Slots {

    /** How many there are, for all processes together. */
    int count();

    /**
     * Those that are held now, each with the number of its tenure: a slot that was lost and is held
     * again has another one.
     */
    Map<Integer, Long> held();

    /**
     * Poll thread: it goes round, and the brokers answer. A process of which that was not said for
     * the timeout gives its slots up.
     *
     * @param useful how many slots have partitions; the others need not be held
     */
    void isReading(int useful);

    /** Called soon after that has changed, on any thread. */
    void onChange(Runnable changed);
}
