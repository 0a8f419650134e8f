/** What can be done with messages that failed for the last time: of a key, or of many. */
@NullMarked
package dev.envelope.app.commands.parked;

import org.jspecify.annotations.NullMarked;
