/**
 * What keeps the poll loop on the road when logs are not what they were: {@code GuardRails}, with
 * what it is made of. A topic that is made again under its name, and partitions that are added to a
 * topic in use, are not to be seen in what a poll brings: {@code TopicWatch} looks at the topics'
 * ids, and {@code GrowthBarrier} holds back what young partitions bring until what was sent before
 * to the older ones is saved.
 *
 * <p>What the client throws for one partition must not keep the others waiting. Exceptions that
 * name partitions take these aside ({@code LogTroubles}); for the rest, {@code Suspects} holds
 * partitions back in turn until the one at fault is certain. Where a log has gone on without us,
 * what was read is saved before its position is found anew.
 */
@NullMarked
package dev.envelope.core.guard;

import org.jspecify.annotations.NullMarked;
