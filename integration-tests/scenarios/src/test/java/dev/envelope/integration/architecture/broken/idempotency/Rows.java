package dev.envelope.integration.architecture.broken.idempotency;

import dev.envelope.integration.architecture.broken.app.Program;

/** Rows that know the program. */
public record Rows(Program program) {}
