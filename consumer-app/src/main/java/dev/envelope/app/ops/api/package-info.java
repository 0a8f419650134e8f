/**
 * The JSON API: what can be asked of a process, and what can be done to it.
 *
 * <p>It looks at what the engine publishes, asks the database on connections of its own, and hands
 * what is to be done to those who own it. Names in its documents are read by others: they are only
 * ever added to.
 */
@NullMarked
package dev.envelope.app.ops.api;

import org.jspecify.annotations.NullMarked;
