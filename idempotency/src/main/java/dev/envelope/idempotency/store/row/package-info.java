/**
 * The port to the rows: load snapshots, save changes by compare-and-set.
 *
 * <p>A {@code Change} says what a save does to one row if the row is still at the version that the
 * change was made from; the messages that it parks are recorded only if it wins. A save of many
 * changes is one transaction, and answers for each whether it won. It fails as a whole when one row
 * can't be stored or is locked. Rows are saved in the order of the key's bytes, which is the
 * index's, so that two saves never wait for each other in a circle.
 *
 * <p>Both methods of {@code StateStore} name the incarnation of the server that the caller's
 * knowledge comes from, and do nothing in another (I12). One contract suite holds every
 * implementation to this.
 */
@NullMarked
package dev.envelope.idempotency.store.row;

import org.jspecify.annotations.NullMarked;
