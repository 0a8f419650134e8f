/**
 * JSON, and what else a value may be written in: codecs of states and formats of values.
 *
 * <p>Record bytes come from producers that nobody vouches for. So one {@link
 * dev.envelope.idempotency.json.Json} reads all of them, with limits on depth, lengths and counts
 * that are checked before memory is spent; UTF-8 is checked strictly; a name that occurs twice in
 * an object is refused, where a whole document is read, since readers disagree about which one
 * counts; and no class is ever chosen by what a document says.
 *
 * <p>Whatever goes wrong with the bytes is a {@code MalformedException} with one short line that
 * can be logged and stored as it is.
 */
@NullMarked
package dev.envelope.idempotency.json;

import org.jspecify.annotations.NullMarked;
