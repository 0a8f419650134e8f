package dev.envelope.integration.bench.client;

/**
 * A booking, as far as the contestants look at it.
 *
 * <p>Threads: immutable.
 */
public record Booking(long sequence, long amount) {}
