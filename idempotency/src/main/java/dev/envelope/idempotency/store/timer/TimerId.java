package dev.envelope.idempotency.store.timer;

/** Names a timer. */
public record TimerId(String key, String name) {}
