package dev.envelope.integration.architecture.broken.app;

import dev.envelope.integration.architecture.broken.idempotency.store.postgres.Table;
import dev.envelope.integration.architecture.broken.integration.Trial;

/** A program that knows its tests, and everywhere which database it has. */
public record Program(Trial trial, Table table) {}
