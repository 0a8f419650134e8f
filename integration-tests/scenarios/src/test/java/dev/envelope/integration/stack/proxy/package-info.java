/** The proxy does what its faults say. */
@NullMarked
package dev.envelope.integration.stack.proxy;

import org.jspecify.annotations.NullMarked;
