/** Part of a house that breaks every rule, for {@code RulesTest}. */
@NullMarked
package dev.envelope.integration.architecture.broken.idempotency;

import org.jspecify.annotations.NullMarked;
