/**
 * The options that commands share, and what comes with them: where it is printed, what is asked.
 */
@NullMarked
package dev.envelope.app.commands.options;

import org.jspecify.annotations.NullMarked;
