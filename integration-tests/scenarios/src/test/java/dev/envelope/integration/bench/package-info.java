/** The parts of the benchmark that need no server. */
@NullMarked
package dev.envelope.integration.bench;

import org.jspecify.annotations.NullMarked;
