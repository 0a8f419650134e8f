/** The built-in handler {@code http}: posts each message to a server. */
@NullMarked
package dev.envelope.app.handlers.http;

import org.jspecify.annotations.NullMarked;
