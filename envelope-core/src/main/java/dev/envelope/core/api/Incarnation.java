package dev.envelope.core.api;

/**
 * The database server between two restarts or failovers. Nothing that was read in one incarnation
 * may be saved in another (I12), because a failover can lose saves, and versions can then match by
 * accident.
 *
 * @param value identifies the incarnation; compared as a whole, never parsed
 */
public record Incarnation(String value) {}
