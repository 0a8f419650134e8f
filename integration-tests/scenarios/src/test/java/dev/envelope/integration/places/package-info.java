/** Processes whose rows are divided between several databases. */
@NullMarked
package dev.envelope.integration.places;

import org.jspecify.annotations.NullMarked;
