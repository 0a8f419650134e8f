package dev.envelope.core.api;

/**
 * Says of an envelope that its first message has failed for the last time: it is to be set aside by
 * the policy, and not to be folded again.
 *
 * <p>Threads: immutable.
 *
 * @param attempts how often it was tried
 * @param cause what it failed with last
 */
public record GivenUp(int attempts, Throwable cause) {}
