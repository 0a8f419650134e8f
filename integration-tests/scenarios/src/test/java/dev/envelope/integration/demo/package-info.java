/** The demo as a user starts it. */
@NullMarked
package dev.envelope.integration.demo;

import org.jspecify.annotations.NullMarked;
