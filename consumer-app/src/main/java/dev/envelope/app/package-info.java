/**
 * The process: commands, configuration, wiring, operations.
 *
 * <p>It adds nothing to the engine's promises. It reads one properties file, refuses what is wrong
 * before anything is opened, asks both servers whether a start can succeed, puts the library
 * together from the settings, tells how things stand over HTTP, and ends in good order when asked.
 * Whatever it does can be done by a service of one's own with the same library.
 */
@NullMarked
package dev.envelope.app;

import org.jspecify.annotations.NullMarked;
