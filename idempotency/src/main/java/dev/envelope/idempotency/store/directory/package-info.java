/** The port to what processes have told of the partitions that they own. */
@NullMarked
package dev.envelope.idempotency.store.directory;

import org.jspecify.annotations.NullMarked;
