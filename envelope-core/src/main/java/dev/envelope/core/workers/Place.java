package dev.envelope.core.workers;

import java.util.List;

/** Where a worker stands in the pool's queue; a dead one is replaced at the same place. */
interface Place<M, R> {

    /**
     * Pool: takes a message.
     *
     * @param first whether it was there before those that wait in the mailbox
     * @return false if there is no room
     */
    boolean offer(Letter<M, R> letter, boolean first);

    /** Pool: there is something to do for whoever is free, or nothing more to wait for. */
    void wake();

    /** Pool: finishes what it is at and takes no more. Returns what waited, in order. */
    List<Letter<M, R>> dismiss();
}
