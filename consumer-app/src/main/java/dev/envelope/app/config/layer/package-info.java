/**
 * Where settings come from: files with their includes, the environment, the command line; and what
 * a {@code ${provider:path:key}} in a value stands for.
 *
 * <p>The JDK's reader of properties forgets line numbers and lets the last of two equal keys win in
 * silence, so {@link dev.envelope.app.config.layer.PropertiesParser} reads the same format anew.
 */
@NullMarked
package dev.envelope.app.config.layer;

import org.jspecify.annotations.NullMarked;
