/** What operators see and ask for: keys and their rows, what is held back, who asked for what. */
@NullMarked
package dev.envelope.app.commands.operator;

import org.jspecify.annotations.NullMarked;
