package dev.envelope.integration.simulation;

import java.util.random.RandomGenerator;

/**
 * What surrounds a simulated process, whatever it reads: time, and what goes wrong.
 *
 * <p>Threads: one thread.
 */
interface Scene {

    Scheduler scheduler();

    RandomGenerator random();

    FaultPlan faults();
}
