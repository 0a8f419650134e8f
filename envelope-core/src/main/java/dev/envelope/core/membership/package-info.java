/**
 * How a process comes to the partitions that it reads: a group's coordinator gives and takes them
 * ({@code OfGroup}), or they follow from the slots that it holds ({@code OfSlots}). For the rest of
 * the engine both look the same: partitions come and go inside of a poll.
 */
@NullMarked
package dev.envelope.core.membership;

import org.jspecify.annotations.NullMarked;
