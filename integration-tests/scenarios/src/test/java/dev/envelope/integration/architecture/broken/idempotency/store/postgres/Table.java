package dev.envelope.integration.architecture.broken.idempotency.store.postgres;

/** Something that only one room of the program knows. */
public record Table(String name) {}
