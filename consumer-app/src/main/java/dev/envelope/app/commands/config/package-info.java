/** What the settings are, and what they were when the rows were made. */
@NullMarked
package dev.envelope.app.commands.config;

import org.jspecify.annotations.NullMarked;
