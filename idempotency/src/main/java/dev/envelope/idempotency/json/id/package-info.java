/** Event ids in a message's value or headers, and the setting that says where they are. */
@NullMarked
package dev.envelope.idempotency.json.id;

import org.jspecify.annotations.NullMarked;
