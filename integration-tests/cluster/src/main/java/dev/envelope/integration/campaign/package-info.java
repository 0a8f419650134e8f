/**
 * Runs that take an hour or more and can be interrupted: what they have done so far is in a file
 * ({@link dev.envelope.integration.stack.StateFile}), and whoever is started with that file goes on
 * there.
 */
@NullMarked
package dev.envelope.integration.campaign;

import org.jspecify.annotations.NullMarked;
