/**
 * The port by which envelopes leave the engine. It depends on the shared words alone.
 *
 * <p>An {@code EnvelopeHandler} is given a {@code Turn}: envelopes of different keys. It says for
 * each what became of it, as an {@code Outcome}; there is no callback to forget, and an envelope
 * that is not settled comes again. {@code Saved} is a promise that the effect is durable, for these
 * offsets will be committed (I2). Around user code it calls {@code enter} and {@code leave}: only
 * in between the watchdog may take the turn away, and then the handler touches nothing of it any
 * more.
 */
@NullMarked
package dev.envelope.core.turn;

import org.jspecify.annotations.NullMarked;
