/** The output of commands. */
@NullMarked
package dev.envelope.app.terminal;

import org.jspecify.annotations.NullMarked;
