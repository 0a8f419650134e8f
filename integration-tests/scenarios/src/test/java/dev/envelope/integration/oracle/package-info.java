/** The oracle must be able to say no. */
@NullMarked
package dev.envelope.integration.oracle;

import org.jspecify.annotations.NullMarked;
