/** The options that commands share, with the code that prints answers and opens the database. */
@NullMarked
package dev.envelope.app.commands.options;

import org.jspecify.annotations.NullMarked;
