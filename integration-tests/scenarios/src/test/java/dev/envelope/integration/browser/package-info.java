/** The live page in a real browser. */
@NullMarked
package dev.envelope.integration.browser;

import org.jspecify.annotations.NullMarked;
