/**
 * The process: commands, configuration, wiring, operations.
 *
 * <p>It adds nothing to the engine's guarantees. It reads one properties file, refuses wrong
 * settings before it opens anything, checks on both servers whether a start can succeed, builds the
 * consumer from the settings, reports its status over HTTP, and shuts down gracefully. A service of
 * one's own can do all of it with the same library.
 */
@NullMarked
package dev.envelope.app;

import org.jspecify.annotations.NullMarked;
