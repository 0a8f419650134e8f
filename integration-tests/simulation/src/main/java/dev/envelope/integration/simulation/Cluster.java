package dev.envelope.integration.simulation;

import java.util.random.RandomGenerator;

/**
 * What surrounds a simulated client of Kafka: the brokers, the group, time, and what goes wrong.
 *
 * <p>Threads: one thread.
 */
interface Cluster {

    Scheduler scheduler();

    RandomGenerator random();

    SimLog log();

    SimGroup group();

    FaultPlan faults();
}
