/** What the demo of payments says. */
@NullMarked
package dev.envelope.integration.demo.payments;

import org.jspecify.annotations.NullMarked;
