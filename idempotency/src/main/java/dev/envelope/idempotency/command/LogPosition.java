package dev.envelope.idempotency.command;

/** Where a record is. */
public record LogPosition(String topic, int partition, long offset) {}
