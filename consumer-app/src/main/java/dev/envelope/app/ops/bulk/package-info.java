/** Requests of one action for many keys, used by the terminal and the HTTP API. */
@NullMarked
package dev.envelope.app.ops.bulk;

import org.jspecify.annotations.NullMarked;
