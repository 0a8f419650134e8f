package dev.envelope.core.api;

/**
 * One life of the database server: it changes when the server restarts or another takes over.
 * Nothing that was read in one incarnation may be saved in another (I12), because a fail-over can
 * take the data back while versions match again by accident.
 *
 * @param value what tells two lives apart; compared as a whole, never parsed
 */
public record Incarnation(String value) {}
