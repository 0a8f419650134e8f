/**
 * What a running process tells of itself: its status and its metrics; {@code http} serves them, and
 * {@code api} is what can be asked and done besides.
 *
 * <p>Everything is read from a status that the engine publishes some times a second and from
 * counters that it bumps as it goes; no request ever reaches into the engine, and none of its
 * threads waits for a reader. Alive means that the poll loop turns; ready means that the process is
 * in the group, the database answers, and no partition needs a person. Lag is neither. No metric
 * has a label per key.
 */
@NullMarked
package dev.envelope.app.ops;

import org.jspecify.annotations.NullMarked;
