/**
 * Codecs of states and formats of values: JSON, and the other forms that a value may have.
 *
 * <p>Record bytes come from producers and can't be trusted. So one {@link
 * dev.envelope.idempotency.json.Json} reads all of them. It limits depth, lengths and counts before
 * memory is spent, and checks UTF-8 strictly. Where a whole document is read, a duplicate name in
 * an object is refused, since readers disagree about which one counts. No class is ever chosen by a
 * document.
 *
 * <p>Bytes that can't be read cause a {@code MalformedException} with one short line that can be
 * logged and stored as it is.
 */
@NullMarked
package dev.envelope.idempotency.json;

import org.jspecify.annotations.NullMarked;
