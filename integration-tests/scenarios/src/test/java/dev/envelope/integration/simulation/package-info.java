/**
 * The simulation as a test: many seeds without a violation, and mutants that each must show one.
 */
@NullMarked
package dev.envelope.integration.simulation;

import org.jspecify.annotations.NullMarked;
