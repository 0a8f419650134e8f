/** Where commands print. */
@NullMarked
package dev.envelope.app.terminal;

import org.jspecify.annotations.NullMarked;
