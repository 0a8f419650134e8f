package dev.envelope.integration.soak;

import java.util.List;

/**
 * How a run went.
 *
 * <p>Threads: immutable.
 *
 * @param faultsFromMillis when the first fault could strike, since the beginning
 * @param lagAtEnd records left when the faults were over; -1 where nobody could say
 * @param healMillis how long it took then until nothing was left
 * @param sent records handed to the producer's client, those of aborted transactions as well
 * @param acknowledged records of transactions that the broker has said to be committed
 */
record Course(
        List<Strike> strikes,
        long faultsFromMillis,
        long faultsUntilMillis,
        long lagAtEnd,
        long healMillis,
        Holdings before,
        Holdings after,
        long sent,
        long acknowledged) {

    Course {
        strikes = List.copyOf(strikes);
    }
}
