/**
 * The HTTP server, with its access rules and limits. It has few threads of its own; no thread of
 * the engine waits for them.
 */
@NullMarked
package dev.envelope.app.ops.http;

import org.jspecify.annotations.NullMarked;
