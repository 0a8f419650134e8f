/**
 * The commands of the program, each with its exit codes.
 *
 * <p>A command is a method that is given its options, calls one thing, and prints one answer: as a
 * line of JSON, or as what people read of it. It is a class where it has commands of its own. What
 * the user got wrong is told in lines that can be acted on, without a stack trace; output that may
 * be piped stands alone on standard output.
 */
@NullMarked
package dev.envelope.app.commands;

import org.jspecify.annotations.NullMarked;
