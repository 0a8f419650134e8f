/**
 * The output of log lines, through a queue, so that a blocked terminal or pipe blocks no thread
 * that logs.
 */
@NullMarked
package dev.envelope.app.logging;

import org.jspecify.annotations.NullMarked;
