/**
 * Where settings come from: files with their includes, the environment, the command line; and what
 * a {@code ${provider:path:key}} in a value stands for.
 *
 * <p>The JDK's reader of properties keeps no line numbers, and silently takes the last of two equal
 * keys. {@link dev.envelope.app.config.layer.PropertiesParser} therefore gives it one line at a
 * time.
 */
@NullMarked
package dev.envelope.app.config.layer;

import org.jspecify.annotations.NullMarked;
