/**
 * The demo: a real broker, a real Postgres, a producer with skewed keys and the program itself as
 * its own process, with live figures in the terminal.
 */
@NullMarked
package dev.envelope.integration.demo;

import org.jspecify.annotations.NullMarked;
