package dev.envelope.integration.architecture.broken.app;

import dev.envelope.integration.architecture.broken.integration.Trial;

/** A program that knows its tests. */
public record Program(Trial trial) {}
