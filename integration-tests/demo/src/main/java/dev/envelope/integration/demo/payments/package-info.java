/**
 * The first demo: payments that come in bursts, a row for each account, and a page with buttons
 * that make things go wrong.
 */
@NullMarked
package dev.envelope.integration.demo.payments;

import org.jspecify.annotations.NullMarked;
