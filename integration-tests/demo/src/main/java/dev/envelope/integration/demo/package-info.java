/**
 * The demos: a real broker, a real Postgres, two instances of the program as processes of their
 * own, and a page.
 */
@NullMarked
package dev.envelope.integration.demo;

import org.jspecify.annotations.NullMarked;
