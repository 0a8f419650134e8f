/** The commands for parked messages, of one key or of many. */
@NullMarked
package dev.envelope.app.commands.parked;

import org.jspecify.annotations.NullMarked;
