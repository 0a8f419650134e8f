/** Part of a house that breaks every rule, for {@code RulesTest}. */
@NullMarked
package dev.envelope.integration.architecture.broken.core.mailbox;

import org.jspecify.annotations.NullMarked;
