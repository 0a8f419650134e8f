/**
 * The status and the metrics of a running process; {@code http} serves them, and {@code api} is the
 * JSON API.
 *
 * <p>Everything is read from a status that the engine publishes several times a second, and from
 * counters that it increments; no request accesses the engine's state, and no thread of the engine
 * waits for a reader. Live means that the poll loop makes passes. Ready means that the process is
 * in the group, the database answers, and no partition is stopped. Lag affects neither. No metric
 * has a label per key.
 */
@NullMarked
package dev.envelope.app.ops;

import org.jspecify.annotations.NullMarked;
