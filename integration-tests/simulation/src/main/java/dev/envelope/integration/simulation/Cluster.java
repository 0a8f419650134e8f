package dev.envelope.integration.simulation;

/**
 * The same for a client of Kafka: the brokers and the group.
 *
 * <p>Threads: one thread.
 */
interface Cluster extends Scene {

    SimLog log();

    SimGroup group();
}
