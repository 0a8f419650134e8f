/**
 * The JSON API, by which a process is inspected and changed.
 *
 * <p>It reads what the engine publishes, queries the database on connections of its own, and passes
 * changes to the owner of the state. The names in its documents are an API: they may be added,
 * never changed.
 */
@NullMarked
package dev.envelope.app.ops.api;

import org.jspecify.annotations.NullMarked;
