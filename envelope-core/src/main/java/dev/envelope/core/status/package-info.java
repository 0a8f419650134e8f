/**
 * What the engine says of itself: partitions, waiting keys, what a worker is at. Looked at, never
 * waited for.
 */
@NullMarked
package dev.envelope.core.status;

import org.jspecify.annotations.NullMarked;
