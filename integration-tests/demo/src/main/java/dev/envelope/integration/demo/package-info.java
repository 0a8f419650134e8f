/**
 * The demo: a real broker, a real Postgres, two instances of the program as processes of their own,
 * payments that come in bursts, and a page with buttons that make things go wrong.
 */
@NullMarked
package dev.envelope.integration.demo;

import org.jspecify.annotations.NullMarked;
