/**
 * The checks before the engine starts. They are repeated until both servers are ready, one refuses,
 * or time is up.
 *
 * <p>What only an operator can change (a password, a missing topic, a right, another application's
 * schema) is a refusal; all of them are reported at once, each with its fix. What may pass by
 * itself is waited for, with one log line for each change of state.
 */
@NullMarked
package dev.envelope.app.start;

import org.jspecify.annotations.NullMarked;
