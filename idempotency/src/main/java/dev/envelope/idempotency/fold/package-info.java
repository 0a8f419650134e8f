/**
 * What users write and how it is run: the fold, the codec of its state, the format of its values.
 * Pure: no clock, no database, no thread.
 *
 * <p>A {@code Work} is one envelope: the snapshot that it starts from, and the change that folding
 * it has made. {@code EnvelopeFold} folds its messages until all are folded, the turn's time is up,
 * or one fails. A fold may change the object that it is given, so after an exception that object
 * may be changed halfway. It is dropped, and a second run folds the messages before the failed one
 * from the saved bytes. So nothing of the failed message is saved.
 *
 * <p>A message whose value can't be decoded is given up at once, since a retry would not help. A
 * state that can't be written, or is too large, is also a message's fault: the messages are halved
 * until the one at fault is found.
 */
@NullMarked
package dev.envelope.idempotency.fold;

import org.jspecify.annotations.NullMarked;
