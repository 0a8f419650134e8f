/**
 * The handlers that the setting {@code handler} can name: the two built-in ones, and a user's
 * class, which is loaded by its name.
 *
 * <p><b>fold</b> keeps one aggregate per configured expression ({@link
 * dev.envelope.app.handlers.expression}).
 *
 * <p><b>latest</b> keeps the last document of a key as its producer wrote it.
 */
@NullMarked
package dev.envelope.app.handlers;

import org.jspecify.annotations.NullMarked;
