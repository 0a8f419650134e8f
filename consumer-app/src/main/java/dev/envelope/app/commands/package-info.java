/**
 * The commands of the program, each with its exit codes.
 *
 * <p>A command is a method whose parameters are its options. It calls one thing and prints one
 * answer, as a line of JSON or in words. A command with subcommands is a class. A user's mistake is
 * reported in lines that say what to do, without a stack trace. Output that may be piped is alone
 * on standard output.
 */
@NullMarked
package dev.envelope.app.commands;

import org.jspecify.annotations.NullMarked;
