package dev.envelope.idempotency.store;

/**
 * How many connections of a pool are open and in use, and how many callers wait for one.
 *
 * @param name of the pool: lanes, alone, background, outputs
 * @param most its maximum size
 */
public record PoolUse(String name, int open, int active, int waiting, int most) {}
