/**
 * Handlers whose effect is a call and not a row for each key. Without a database, what is done is
 * known from the group's commits, which also say what is done behind their offsets. A message is
 * handled at least once; after a crash those are repeated that no commit has said are done.
 *
 * <p>With a database ({@code WorkInTransaction}), each message that is done has a mark, inserted in
 * the transaction that the handler writes in, until the checkpoint of its source is past it.
 */
@NullMarked
package dev.envelope.idempotency.work;

import org.jspecify.annotations.NullMarked;
