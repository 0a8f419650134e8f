/**
 * The life of the process: it starts, waits for its servers, runs the engine until somebody asks it
 * to stop or the engine fails, drains, and ends with a code that says how it went.
 *
 * <p>A first signal asks, a second one forces; a hang-up is ignored. Signals can only be had from
 * classes of the JDK that the compiler does not offer, so {@code Signals} reaches them by
 * reflection and is the only class that knows of it.
 */
@NullMarked
package dev.envelope.app.process;

import org.jspecify.annotations.NullMarked;
