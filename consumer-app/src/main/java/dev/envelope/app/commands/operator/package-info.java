/** The commands for operators: keys and their rows, pauses, stopped partitions, past requests. */
@NullMarked
package dev.envelope.app.commands.operator;

import org.jspecify.annotations.NullMarked;
