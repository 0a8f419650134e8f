/**
 * Handlers whose effect is a call and not a row. There is no database: what is done is known from
 * the group's commits, which also say what is done behind their offsets. A message is handled at
 * least once; after a crash those are repeated that no commit has said are done.
 */
@NullMarked
package dev.envelope.idempotency.work;

import org.jspecify.annotations.NullMarked;
