/** The gateways of the application's other processes. */
@NullMarked
package dev.envelope.app.gateway.peer;

import org.jspecify.annotations.NullMarked;
