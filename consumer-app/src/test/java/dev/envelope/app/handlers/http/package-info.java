@NullMarked
package dev.envelope.app.handlers.http;

import org.jspecify.annotations.NullMarked;
