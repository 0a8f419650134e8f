/**
 * The life of the process: it starts, waits for its servers, runs the engine until a signal or a
 * failure of the engine, drains, and ends with an exit code.
 *
 * <p>The first signal starts a drain, the second ends the process at once; a hang-up makes it read
 * its settings again. The JDK offers signals only in classes that the compiler does not expose, so
 * {@code Signals} calls them by reflection.
 */
@NullMarked
package dev.envelope.app.process;

import org.jspecify.annotations.NullMarked;
