/**
 * Where log lines go: a queue of its own, so that a terminal or pipe that stands still stops
 * nothing but its own lines.
 */
@NullMarked
package dev.envelope.app.logging;

import org.jspecify.annotations.NullMarked;
