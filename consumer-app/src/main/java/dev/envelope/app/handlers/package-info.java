/**
 * What the setting {@code handler} names: the two built-in handlers, and the road from a class name
 * to a running fold.
 *
 * <p><b>fold</b> keeps one aggregate per configured expression ({@link
 * dev.envelope.app.handlers.expression}).
 *
 * <p><b>latest</b> keeps the last document of a key as its producer wrote it.
 */
@NullMarked
package dev.envelope.app.handlers;

import org.jspecify.annotations.NullMarked;
