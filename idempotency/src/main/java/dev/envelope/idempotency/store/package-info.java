/**
 * The database of an application: {@code Store} hands out the ports to its parts. The ports to
 * rows, parked messages, operators and pinned settings have packages of their own. {@code postgres}
 * is the implementation and the only place with JDBC.
 */
@NullMarked
package dev.envelope.idempotency.store;

import org.jspecify.annotations.NullMarked;
