/** How outputs go to a real broker: exactly once, at least once, and with which rights. */
@NullMarked
package dev.envelope.integration.output;

import org.jspecify.annotations.NullMarked;
