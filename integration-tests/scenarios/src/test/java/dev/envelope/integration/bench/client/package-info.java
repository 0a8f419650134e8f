/** The parts of the contestants that need neither broker nor database. */
@NullMarked
package dev.envelope.integration.bench.client;

import org.jspecify.annotations.NullMarked;
