package dev.envelope.idempotency.store;

/**
 * How many connections of a pool are open and lent out, and how many callers wait for one.
 *
 * @param name what its connections are for: lanes, alone, background
 * @param most how many it may open
 */
public record PoolUse(String name, int open, int active, int waiting, int most) {}
