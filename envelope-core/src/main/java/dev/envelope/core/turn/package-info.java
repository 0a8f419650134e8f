/**
 * The port by which envelopes leave the engine. It depends on the shared types alone.
 *
 * <p>An {@code EnvelopeHandler} is given a {@code Turn}: envelopes of different keys. It settles
 * each with an {@code Outcome}; an envelope that is not settled comes again. {@code Saved} means
 * that the effect is durable, because these offsets will be committed (I2). Around user code it
 * calls {@code enter} and {@code leave}: only in between may the watchdog take the turn away, and
 * then the handler must not touch it any more.
 */
@NullMarked
package dev.envelope.core.turn;

import org.jspecify.annotations.NullMarked;
