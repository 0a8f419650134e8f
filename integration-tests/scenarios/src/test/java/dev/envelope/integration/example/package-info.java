/** The examples of the README, run. */
@NullMarked
package dev.envelope.integration.example;

import org.jspecify.annotations.NullMarked;
