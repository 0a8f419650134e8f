/**
 * All that an application keeps in its database: {@code Store} hands out the ports to the parts.
 * Those of the rows, of what is set aside, of operators and of pinned settings have rooms of their
 * own; {@code postgres} is the implementation and the only place with JDBC.
 */
@NullMarked
package dev.envelope.idempotency.store;

import org.jspecify.annotations.NullMarked;
