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

    /**
     * What is held at a moment.
     *
     * @param count how many slots there are, for all processes together; it may change when nothing
     *     is held
     * @param slots those that are held, each with the number of its tenure: a slot that was lost
     *     and is held again has another one
     * @param generation grows whenever any process takes a slot; -1 if this one has taken none yet
     */
    record Held(int count, Map<Integer, Long> slots, int generation) {

        /** Of a process that has taken none. */
        public static Held none(int count) {
            return new Held(count, Map.of(), -1);
        }
    }

    /** What is held now. */
    Held held();

    /**
     * Poll thread: it goes round, and the brokers answer. A process of which that was not said for
     * the timeout gives its slots up.
     *
     * @param partitions the most that a topic has; slots beyond need not be held
     */
    void isReading(int partitions);

    /** Called soon after that has changed, on any thread. */
    void onChange(Runnable changed);
}
