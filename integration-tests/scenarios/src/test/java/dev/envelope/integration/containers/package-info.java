/**
 * The same contracts and guarantees on the images that people run: only with {@code -Pcontainers},
 * where there is a container engine.
 */
@NullMarked
package dev.envelope.integration.containers;

import org.jspecify.annotations.NullMarked;
