/** The rules about the product's structure that a compiler does not know. */
@NullMarked
package dev.envelope.integration.architecture;

import org.jspecify.annotations.NullMarked;
