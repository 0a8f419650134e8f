/**
 * The commands of the program, each with its exit codes.
 *
 * <p>A command parses its options, calls one thing, and says in one place how it ended. What the
 * user got wrong is told in lines that can be acted on, without a stack trace; output that may be
 * piped stands alone on standard output.
 */
@NullMarked
package dev.envelope.app.commands;

import org.jspecify.annotations.NullMarked;
