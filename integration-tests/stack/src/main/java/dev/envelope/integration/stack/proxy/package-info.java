/**
 * A network that can be made to fail: TCP proxies of our own between the application and its
 * servers.
 *
 * <p>A {@link dev.envelope.integration.stack.proxy.FaultProxy} listens on a port of its own and
 * passes on what it gets, until a {@link dev.envelope.integration.stack.proxy.NetworkFault} tells
 * it otherwise. A fault says what becomes of the bytes ({@link
 * dev.envelope.integration.stack.proxy.Treatment}); a {@link
 * dev.envelope.integration.stack.proxy.ProxiedConnection} does it. Where a fault has to know what
 * the bytes mean, such as "the COMMIT goes out, its reply is lost", a {@link
 * dev.envelope.integration.stack.proxy.Wire} reads along.
 */
@NullMarked
package dev.envelope.integration.stack.proxy;

import org.jspecify.annotations.NullMarked;
