/**
 * The gateway: commands and reads over HTTP, for callers outside.
 *
 * <p><b>Nobody holds a thread.</b> A request's body is read as it arrives, its outcome is awaited
 * in a future, and its answer is written as fast as its caller reads. What a caller can hold is a
 * connection and the bytes of its request or answer; both are counted, and a caller beyond the
 * limit is told at once. A request, and an answer, must get on at a minimum pace.
 *
 * <p>{@link dev.envelope.app.gateway.GatewayHandler} checks and dispatches requests, {@link
 * dev.envelope.app.gateway.CommandsApi} and {@link dev.envelope.app.gateway.ReadsApi} answer them.
 */
@NullMarked
package dev.envelope.app.gateway;

import org.jspecify.annotations.NullMarked;
