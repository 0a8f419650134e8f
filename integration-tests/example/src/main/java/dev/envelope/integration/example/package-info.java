/**
 * What the README shows: a handler, and a service that runs it with the library.
 *
 * <p>A test compares the README with the marked regions of these files, and another one runs them
 * on real servers; so what a reader copies is what was compiled and run.
 */
@NullMarked
package dev.envelope.integration.example;

import org.jspecify.annotations.NullMarked;
