/**
 * What has to hold before the engine starts: both servers are asked until they serve, refuse, or
 * time is up.
 *
 * <p>What only a person can change (a password, a missing topic, a right, somebody else's schema)
 * is a refusal: all of them are said at once, each with its fix. What may pass by itself is waited
 * for, with one line for each change of state.
 */
@NullMarked
package dev.envelope.app.start;

import org.jspecify.annotations.NullMarked;
