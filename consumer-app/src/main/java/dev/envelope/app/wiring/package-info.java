/**
 * From checked settings to the parts of the engine: each class turns one group of them into one
 * part.
 */
@NullMarked
package dev.envelope.app.wiring;

import org.jspecify.annotations.NullMarked;
