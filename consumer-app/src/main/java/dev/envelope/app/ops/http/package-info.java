/**
 * The server: who may ask what, and how much of it. Its threads are its own, and few; none of the
 * engine's ever waits for it.
 */
@NullMarked
package dev.envelope.app.ops.http;

import org.jspecify.annotations.NullMarked;
