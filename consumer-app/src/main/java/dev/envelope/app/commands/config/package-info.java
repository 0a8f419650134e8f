/** The commands about settings: those in effect, and the pins. */
@NullMarked
package dev.envelope.app.commands.config;

import org.jspecify.annotations.NullMarked;
