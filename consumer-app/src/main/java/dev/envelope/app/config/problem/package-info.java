/** What may be wrong with a configuration, where, and how that is said on a terminal. */
@NullMarked
package dev.envelope.app.config.problem;

import org.jspecify.annotations.NullMarked;
