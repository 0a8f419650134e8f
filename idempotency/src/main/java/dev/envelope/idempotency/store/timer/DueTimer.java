package dev.envelope.idempotency.store.timer;

import java.util.Set;

/**
 * A timer that has fired, or may fire now.
 *
 * @param generation as {@link Firing#generation} makes it
 * @param otherTopics the sources of this database that had the same partition's name in another
 *     life of the topic: what names one of them is the firing of a message that was there
 */
public record DueTimer(String generation, Set<Integer> otherTopics) {}
