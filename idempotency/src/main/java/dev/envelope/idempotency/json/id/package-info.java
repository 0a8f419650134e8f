/** Event ids that stand in a message's value or its headers, and the setting that says where. */
@NullMarked
package dev.envelope.idempotency.json.id;

import org.jspecify.annotations.NullMarked;
