package dev.envelope.integration.architecture.broken.core.api;

import dev.envelope.integration.architecture.broken.core.fetch.Loop;

/** The api that knows what is behind it. */
public record Door(Loop loop) {}
