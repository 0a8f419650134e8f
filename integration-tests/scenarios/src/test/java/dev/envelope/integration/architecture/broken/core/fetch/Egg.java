package dev.envelope.integration.architecture.broken.core.fetch;

import java.util.List;

/** One of three that need each other. */
public record Egg(List<Nest> others) {}
