/**
 * The handler <b>fold</b>: what its expressions mean, from their text to the row's state.
 *
 * <p>It keeps one aggregate per configured expression, {@code sum(/amount) where /type =
 * "deposit"}. Its state is flat, {@code {"balance": 12}}; what an aggregate needs besides its value
 * is under {@code "$"}: sum and count of an average, the values seen of a distinct count.
 * Benchmarks use this handler, so it builds no JSON trees: a {@link
 * dev.envelope.idempotency.json.PointerReader} takes from a message's tokens only what an
 * expression needs, the state is an array of accumulators, and it is written and read as a stream.
 *
 * <p>Numbers are exact: a long where it fits, otherwise a decimal. In the state a number is written
 * in its shortest form, so that the text depends on the messages only, and not on how often the
 * state was written and read in between.
 *
 * <p>Expressions may be changed under existing rows. An aggregate that is added starts with the
 * next message of a key, one that is taken away disappears with the key's next save, one whose
 * value can't be continued is refused. An aggregate whose meaning changes needs a new name.
 */
@NullMarked
package dev.envelope.app.handlers.expression;

import org.jspecify.annotations.NullMarked;
