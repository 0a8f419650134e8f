/**
 * The port to the rows: load snapshots, save changes by compare-and-set.
 *
 * <p>A {@code Change} says what a save does to one row if the row is still at the version that the
 * change was made from; the messages that it parks are inserted only if it wins. A save of many
 * changes is one transaction, and returns for each whether it won. It fails as a whole when one row
 * can't be stored or is locked. Rows are saved in the order of the keys' bytes, which is the
 * index's, so that two saves can't deadlock.
 *
 * <p>Both methods of {@code StateStore} name the incarnation of the server that the caller's data
 * were read in, and do nothing in another (I12). One contract suite tests every implementation.
 */
@NullMarked
package dev.envelope.idempotency.store.row;

import org.jspecify.annotations.NullMarked;
