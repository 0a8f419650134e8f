package dev.envelope.integration.stack.proxy;

/** Where bytes are on their way to. */
public enum Direction {
    TO_SERVER,
    TO_CLIENT
}
