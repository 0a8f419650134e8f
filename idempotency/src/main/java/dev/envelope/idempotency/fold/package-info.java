/**
 * What users write and what the engine needs to run it: the fold, its state's codec, its message's
 * format. Pure: no clock, no database, no thread.
 *
 * <p>A {@code Work} is one envelope on its way: the snapshot that it starts from, and the change
 * that folding it has made. {@code EnvelopeFold} runs over its messages until it is through, the
 * turn's time is up, or a message fails. A fold may change the object that it is given; so when it
 * throws, that object may be half-changed. It is dropped, and a second run folds the messages
 * before the failed one from the saved bytes: what is saved bears no trace of the failure.
 *
 * <p>A value that can't be decoded is parked and passed over, for no retry would change it. A state
 * that can't be written, or is too large, is blamed on a message as well: the messages are halved
 * until it is known which.
 */
@NullMarked
package dev.envelope.idempotency.fold;

import org.jspecify.annotations.NullMarked;
