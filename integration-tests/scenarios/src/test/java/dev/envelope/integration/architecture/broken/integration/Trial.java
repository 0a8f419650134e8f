package dev.envelope.integration.architecture.broken.integration;

/** A test that the program knows. */
public record Trial(String name) {}
